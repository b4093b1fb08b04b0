//! Ways to call a function and to come back from it.

use farrier_lang::print::Snippet;
use farrier_lang::{FunctionId, Stmt, StmtId, Type};

use super::fitting::Fitting;
use super::functions::{
    exact_arguments, free_functions, is_only_called, is_recursive, signature, take,
};

/// The names of parameters with commas between them, as a call passes them on.
pub(super) fn passed_on(fitting: &Fitting<'_>, function: FunctionId) -> String {
    let names = fitting.program[function].parameters.iter();
    let names: Vec<&str> = names.filter_map(|parameter| fitting.name(*parameter)).collect();
    names.join(", ")
}

/// Notes that its block was left.
const WITNESS: &str =
    "struct farrier_witness {\n    bool &seen;\n    ~farrier_witness() { seen = true; }\n};\n";

/// The `return` statements of a function; `None` if one of them has no value, or a spelling.
fn returns(fitting: &Fitting<'_>, function: FunctionId) -> Option<Vec<StmtId>> {
    let mut found = Vec::new();
    for &(stmt, home) in &fitting.facts.stmts {
        match fitting.program[stmt] {
            Stmt::Return(_) if home != function => {}
            Stmt::Return(Some(_)) if !fitting.spellings.has_stmt(stmt) => found.push(stmt),
            Stmt::Return(_) => return None,
            _ => {}
        }
    }
    Some(found)
}

/// Functions whose results are thrown over a frame that has something to clean up, as `longjmp`
/// would leave them.
pub(super) fn thrown_results(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for function in free_functions(fitting) {
        let result = signature(fitting, function).result.unqualified();
        let is_plain =
            matches!(program.resolve(result), Type::Int(_) | Type::Float(_) | Type::Pointer(_));
        let Some(returns) = returns(fitting, function) else { continue };
        if !is_plain
            || returns.is_empty()
            || fitting.facts.forward.contains(&function)
            || is_recursive(fitting, function)
            || fitting.has_vectors(function)
            || !fitting.takes(program[function].name)
        {
            continue;
        }
        fitting.help(WITNESS);
        let name = fitting.function_name(function);
        let arguments = passed_on(fitting, function);
        let pieces = vec![
            format!("struct farrier_thrown_{name} {{\n    ").into(),
            Snippet::Declared(result, "value".to_owned()),
            format!(";\n}};\nstatic auto farrier_body_{name}(").into(),
            Snippet::Parameters(function),
            ") -> ".into(),
            Snippet::Type(result),
            " ".into(),
            Snippet::Body(function),
            format!("\nstatic auto {name}(").into(),
            Snippet::Parameters(function),
            ") -> ".into(),
            Snippet::Type(result),
            format!(
                "\n{{\n    bool farrier_seen = false;\n    try {{\n        \
                 farrier_witness farrier_watch = {{farrier_seen}};\n        \
                 farrier_body_{name}({arguments});\n    \
                 }} catch (const farrier_thrown_{name} &farrier_result) {{\n        \
                 if (farrier_seen)\n            return farrier_result.value;\n    }}\n    \
                 __builtin_trap();\n}}\n"
            )
            .into(),
        ];
        fitting.spellings.function(function, pieces);
        for stmt in returns {
            let Stmt::Return(Some(value)) = program[stmt] else { continue };
            let mut pieces: Vec<Snippet> = vec![format!("throw farrier_thrown_{name}{{").into()];
            match program.resolve(result) {
                Type::Pointer(_) => pieces.push(Snippet::Argument(value)),
                _ => pieces.extend(fitting.cast_to(result, value)),
            }
            pieces.push("};\n".into());
            fitting.spellings.stmt(stmt, pieces);
            fitting.took(Some(stmt));
        }
        take(fitting, function);
    }
}

/// Direct calls through a template that forwards what it gets.
pub(super) fn forwarding(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for function in free_functions(fitting) {
        let place = fitting.facts.place_of(function);
        // The template is defined after the function, so only later functions see it.
        let sites: Vec<_> = fitting
            .facts
            .calls_of(function)
            .iter()
            .filter(|site| {
                let caller = site.caller.and_then(|caller| fitting.facts.place_of(caller));
                caller > place && !fitting.facts.is_frozen(site.call)
            })
            .copied()
            .collect();
        if sites.is_empty()
            || fitting.has_vectors(function)
            || !fitting.takes(program[function].name)
        {
            continue;
        }
        let name = fitting.function_name(function);
        let pieces = vec![
            Snippet::Plain,
            format!(
                "template <class... A> static auto farrier_forward_{name}(A &&...farrier_all) -> "
            )
            .into(),
            Snippet::Type(signature(fitting, function).result.unqualified()),
            format!(" {{ return {name}(std::forward<A>(farrier_all)...); }}\n").into(),
        ];
        fitting.spellings.function(function, pieces);
        for site in sites {
            let mut pieces = vec![format!("farrier_forward_{name}(").into()];
            pieces.extend(exact_arguments(fitting, site, function));
            pieces.push(")".into());
            fitting.spellings.expr(site.call, pieces);
        }
        take(fitting, function);
    }
}

/// Functions as objects whose operator calls a member through a lambda that captures `this`.
pub(super) fn capturing_this(fitting: &mut Fitting<'_>) {
    for function in free_functions(fitting) {
        if !is_only_called(fitting, function)
            || is_recursive(fitting, function)
            || !fitting.takes(fitting.program[function].name)
        {
            continue;
        }
        let name = fitting.function_name(function);
        let arguments = passed_on(fitting, function);
        let result = signature(fitting, function).result.unqualified();
        let pieces = vec![
            format!("static const class farrier_functor_{name} {{\n    auto run(").into(),
            Snippet::Parameters(function),
            ") const -> ".into(),
            Snippet::Type(result),
            " ".into(),
            Snippet::Body(function),
            "\npublic:\n    farrier_functor_".into(),
            format!("{name}() {{}}\n    auto operator()(").into(),
            Snippet::Parameters(function),
            ") const -> ".into(),
            Snippet::Type(result),
            " { return [&, this]() -> ".into(),
            Snippet::Type(result),
            format!(" {{ return run({arguments}); }}(); }}\n}} {name};\n").into(),
        ];
        fitting.spellings.function(function, pieces);
        take(fitting, function);
    }
}
