//! Dresses of functions.

use farrier_lang::print::Snippet;
use farrier_lang::{ExprId, ExprKind, FunctionId, FunctionType, Qualifiers, Type, TypeId, Types};

use super::facts::CallSite;
use super::fitting::Fitting;

/// The type of a function.
pub(super) fn signature<'a>(fitting: &Fitting<'a>, function: FunctionId) -> &'a FunctionType {
    let program = fitting.program;
    match program.types.get(program[function].ty) {
        Type::Function(ty) => ty,
        _ => unreachable!("a function has a function type"),
    }
}

/// The functions with named parameters that no dress has changed.
pub(super) fn free_functions(fitting: &Fitting<'_>) -> Vec<FunctionId> {
    let program = fitting.program;
    let is_free = |id: &FunctionId| {
        let function = &program[*id];
        let ty = signature(fitting, *id);
        !program.is_main(*id)
            && !fitting.taken_functions.contains(id)
            && function.asm_name.is_none()
            && !function.old_style
            && ty.prototyped
            && !ty.variadic
            && function.parameters.len() == ty.parameters.len()
            && function.parameters.iter().all(|parameter| program[*parameter].name.is_some())
    };
    fitting.facts.defined.iter().map(|(id, _)| *id).filter(is_free).collect()
}

/// Whether a function calls itself.
pub(super) fn is_recursive(fitting: &Fitting<'_>, function: FunctionId) -> bool {
    fitting.facts.calls_of(function).iter().any(|site| site.caller == Some(function))
}

/// Whether a function can be an object: it is defined before it is used, and only called.
pub(super) fn is_only_called(fitting: &Fitting<'_>, function: FunctionId) -> bool {
    !fitting.facts.forward.contains(&function) && !fitting.facts.addressed.contains(&function)
}

/// Counts a function as taken, and marks the statements that call it.
pub(super) fn take(fitting: &mut Fitting<'_>, function: FunctionId) {
    fitting.took(None);
    fitting.reach_body(function);
    fitting.taken_functions.insert(function);
    for CallSite { call, .. } in fitting.facts.calls_of(function).to_vec() {
        fitting.mark(call);
    }
}

/// The head of a definition in the form `auto name(parameters) -> result`, and the body.
fn rewritten(
    fitting: &Fitting<'_>,
    function: FunctionId,
    head: String,
    after: &str,
) -> Vec<Snippet> {
    let result = signature(fitting, function).result;
    vec![
        format!("{head}(").into(),
        Snippet::Parameters(function),
        format!("){after} -> ").into(),
        Snippet::Type(result.unqualified()),
        " ".into(),
        Snippet::Body(function),
    ]
}

/// The arguments of a call, each with the type of its parameter.
pub(super) fn exact_arguments(
    fitting: &Fitting<'_>,
    site: CallSite,
    callee: FunctionId,
) -> Vec<Snippet> {
    let program = fitting.program;
    let ExprKind::Call(_, arguments) = &program[site.call].kind else { return Vec::new() };
    let types = &signature(fitting, callee).parameters;
    let mut pieces = Vec::new();
    for (at, (&argument, &ty)) in arguments.iter().zip(types).enumerate() {
        if at > 0 {
            pieces.push(", ".into());
        }
        match program.resolve(ty) {
            Type::Int(_) | Type::Float(_) | Type::Enum(_) | Type::Pointer(_) => {
                pieces.extend(fitting.cast_to(ty, argument));
            }
            _ => pieces.push(Snippet::Argument(argument)),
        }
    }
    pieces
}

/// Templates with the type of a parameter as parameter.
pub(super) fn type_templates(fitting: &mut Fitting<'_>) {
    templates(fitting, false);
}

/// Templates whose parameter is a type that fulfils a concept.
pub(super) fn constrained_templates(fitting: &mut Fitting<'_>) {
    templates(fitting, true);
}

/// The word before the parameter of a template.
fn type_word(fitting: &Fitting<'_>, ty: TypeId, is_constrained: bool) -> &'static str {
    match fitting.program.resolve(ty) {
        _ if !is_constrained => "class",
        Type::Float(_) => "std::floating_point",
        Type::Int(kind) if fitting.program.target.int_signed(*kind) => "std::signed_integral",
        _ => "std::integral",
    }
}

/// Templates with the type of a parameter as parameter, which is maybe constrained.
fn templates(fitting: &mut Fitting<'_>, is_constrained: bool) {
    let program = fitting.program;
    for function in free_functions(fitting) {
        let types = &signature(fitting, function).parameters;
        let position = types.iter().position(|ty| fitting.is_number(*ty));
        let Some(position) = position else { continue };
        let parameter = program[function].parameters[position];
        if !program[parameter].ty.qualifiers().is_empty()
            || fitting.has_vectors(function)
            || !fitting.takes(program[function].name)
        {
            continue;
        }
        let name = fitting.function_name(function);
        let argument = fitting.type_text(types[position]);
        let word = type_word(fitting, types[position], is_constrained);
        let head = fitting.spellings.heads.entry(function).or_default();
        head.before.insert_str(0, &format!("template <{word} farrier_type> "));
        head.parameters.push((position, "farrier_type".to_owned()));
        fitting.spellings.functions.insert(function, format!("{name}<{argument}>"));
        take(fitting, function);
    }
}

/// Templates with a constant as parameter.
pub(super) fn constant_templates(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for function in free_functions(fitting) {
        let mut constants: Vec<(ExprId, u64)> = Vec::new();
        for (expr, home) in fitting.open_exprs() {
            if let ExprKind::Int(value) = program[expr].kind
                && home == function
                && program[expr].ty == Types::INT
                && (2..1 << 15).contains(&value)
            {
                constants.push((expr, value));
            }
        }
        let Some(&(_, value)) = constants.first() else { continue };
        if fitting.has_vectors(function) || !fitting.takes(program[function].name) {
            continue;
        }
        let name = fitting.function_name(function);
        let head = fitting.spellings.heads.entry(function).or_default();
        head.before.insert_str(0, "template <int farrier_constant> ");
        fitting.spellings.functions.insert(function, format!("{name}<{value}>"));
        for (expr, other) in constants {
            if other == value && !fitting.spellings.has_expr(expr) {
                fitting.spellings.expr(expr, vec!["farrier_constant".into()]);
                fitting.mark(expr);
            }
        }
        take(fitting, function);
    }
}

/// Functions of one name with different parameters.
pub(super) fn overloads(fitting: &mut Fitting<'_>) {
    let mut known: Vec<String> = Vec::new();
    for function in free_functions(fitting) {
        let types = &signature(fitting, function).parameters;
        let list: Vec<String> = types.iter().map(|ty| fitting.type_text(*ty)).collect();
        let list = list.join(", ");
        if fitting.facts.addressed.contains(&function)
            || types.is_empty()
            || known.contains(&list)
            || !fitting.takes(fitting.program[function].name)
        {
            continue;
        }
        known.push(list);
        let name = "farrier_overloaded".to_owned();
        fitting.spellings.heads.entry(function).or_default().name = Some(name.clone());
        for site in fitting.facts.calls_of(function).to_vec() {
            let mut pieces = vec![format!("{name}(").into()];
            pieces.extend(exact_arguments(fitting, site, function));
            pieces.push(")".into());
            fitting.spellings.expr(site.call, pieces);
        }
        take(fitting, function);
    }
}

/// Functions as lambdas.
pub(super) fn lambda_functions(fitting: &mut Fitting<'_>) {
    for function in free_functions(fitting) {
        if !is_only_called(fitting, function)
            || is_recursive(fitting, function)
            || !fitting.takes(fitting.program[function].name)
        {
            continue;
        }
        let name = fitting.function_name(function);
        let mut pieces = rewritten(fitting, function, format!("static const auto {name} = []"), "");
        pieces.push(";\n".into());
        fitting.spellings.function(function, pieces);
        take(fitting, function);
    }
}

/// Functions as objects of `std::function`.
pub(super) fn wrapped_functions(fitting: &mut Fitting<'_>) {
    for function in free_functions(fitting) {
        if !is_only_called(fitting, function)
            || is_recursive(fitting, function)
            || !fitting.takes(fitting.program[function].name)
        {
            continue;
        }
        let FunctionType { result, parameters, .. } = signature(fitting, function);
        let types: Vec<String> = parameters.iter().map(|ty| fitting.type_text(*ty)).collect();
        let result = fitting.type_text(result.unqualified());
        let name = fitting.function_name(function);
        let head =
            format!("static const std::function<{result}({})> {name} = []", types.join(", "));
        let mut pieces = rewritten(fitting, function, head, "");
        pieces.push(";\n".into());
        fitting.spellings.function(function, pieces);
        take(fitting, function);
    }
}

/// Functions as objects with an operator.
pub(super) fn functors(fitting: &mut Fitting<'_>) {
    for function in free_functions(fitting) {
        if !is_only_called(fitting, function)
            || is_recursive(fitting, function)
            || !fitting.takes(fitting.program[function].name)
        {
            continue;
        }
        let name = fitting.function_name(function);
        let mut pieces = vec![format!("static const struct farrier_functor_{name} {{\n").into()];
        pieces.extend(rewritten(fitting, function, "auto operator()".to_owned(), " const"));
        pieces.push(format!("\n}} {name} = {{}};\n").into());
        fitting.spellings.function(function, pieces);
        take(fitting, function);
    }
}

/// Functions as static members.
pub(super) fn member_functions(fitting: &mut Fitting<'_>) {
    for function in free_functions(fitting) {
        if fitting.facts.forward.contains(&function)
            || !fitting.takes(fitting.program[function].name)
        {
            continue;
        }
        let name = fitting.function_name(function);
        let mut pieces = vec![format!("struct farrier_holder_{name} {{\n").into()];
        pieces.extend(rewritten(fitting, function, format!("static auto {name}"), ""));
        pieces.push("\n};\n".into());
        fitting.spellings.function(function, pieces);
        let name = format!("farrier_holder_{name}::{name}");
        fitting.spellings.functions.insert(function, name);
        take(fitting, function);
    }
}

/// Functions in a namespace of their own.
pub(super) fn namespace_functions(fitting: &mut Fitting<'_>) {
    for function in free_functions(fitting) {
        if fitting.facts.forward.contains(&function)
            || !fitting.takes(fitting.program[function].name)
        {
            continue;
        }
        let name = fitting.function_name(function);
        let pieces = vec![
            format!("namespace farrier_space_{name} {{\n").into(),
            Snippet::Plain,
            "}\n".into(),
        ];
        fitting.spellings.function(function, pieces);
        let name = format!("farrier_space_{name}::{name}");
        fitting.spellings.functions.insert(function, name);
        take(fitting, function);
    }
}

/// Functions as friends, which a call finds by the type of an argument.
pub(super) fn friends(fitting: &mut Fitting<'_>) {
    for function in free_functions(fitting) {
        if !is_only_called(fitting, function) || !fitting.takes(fitting.program[function].name) {
            continue;
        }
        let name = fitting.function_name(function);
        let FunctionType { result, parameters, .. } = signature(fitting, function);
        let comma = if parameters.is_empty() { "" } else { ", " };
        let pieces = vec![
            format!("struct farrier_friend_{name} {{\nfriend auto {name}(").into(),
            Snippet::Parameters(function),
            format!("{comma}farrier_friend_{name}) -> ").into(),
            Snippet::Type(result.unqualified()),
            " ".into(),
            Snippet::Body(function),
            "\n};\n".into(),
        ];
        fitting.spellings.function(function, pieces);
        for site in fitting.facts.calls_of(function).to_vec() {
            let mut pieces = vec![format!("{name}(").into()];
            pieces.extend(exact_arguments(fitting, site, function));
            pieces.push(format!("{comma}farrier_friend_{name}())").into());
            fitting.spellings.expr(site.call, pieces);
        }
        take(fitting, function);
    }
}

/// Functions that throw nothing.
pub(super) fn no_exceptions(fitting: &mut Fitting<'_>) {
    for (function, _) in fitting.facts.defined.clone() {
        let is_plain =
            !fitting.spellings.has_function(function) && !fitting.program.is_main(function);
        if is_plain && fitting.takes(fitting.program[function].name) {
            fitting.spellings.heads.entry(function).or_default().after.push_str(" noexcept");
            fitting.took(None);
            fitting.reach_body(function);
        }
    }
}

/// Parameters that are references to what the caller made for the call.
pub(super) fn reference_parameters(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for function in free_functions(fitting) {
        let types: Vec<TypeId> = signature(fitting, function).parameters.to_vec();
        let positions: Vec<usize> =
            (0..types.len()).filter(|at| fitting.is_number(types[*at])).collect();
        let volatile = |at: &usize| {
            let parameter = program[function].parameters[*at];
            program[parameter].ty.qualifiers().contains(Qualifiers::VOLATILE)
        };
        if positions.is_empty()
            || positions.iter().any(volatile)
            || fitting.facts.addressed.contains(&function)
            || !fitting.takes(program[function].name)
        {
            continue;
        }
        let mut rows = Vec::new();
        for at in positions {
            let parameter = program[function].parameters[at];
            rows.push((at, fitting.type_text(program[parameter].ty) + " &&"));
        }
        fitting.spellings.heads.entry(function).or_default().parameters = rows;
        let name = fitting.function_name(function);
        for site in fitting.facts.calls_of(function).to_vec() {
            let mut pieces = vec![format!("{name}(").into()];
            pieces.extend(exact_arguments(fitting, site, function));
            pieces.push(")".into());
            fitting.spellings.expr(site.call, pieces);
        }
        take(fitting, function);
    }
}

/// The value of a constant argument, as text.
fn constant_text(fitting: &Fitting<'_>, argument: ExprId) -> Option<String> {
    match fitting.program[fitting.explicit(argument)].kind {
        ExprKind::Int(value) if value <= i64::MAX as u64 => Some(value.to_string()),
        ExprKind::Int(value) => Some(format!("{value}ULL")),
        _ => None,
    }
}

/// Arguments that calls leave out.
pub(super) fn default_arguments(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for function in free_functions(fitting) {
        let types = &signature(fitting, function).parameters;
        let Some(&last) = types.last() else { continue };
        if !fitting.is_integer(last) || !is_only_called(fitting, function) {
            continue;
        }
        let sites = fitting.facts.calls_of(function).to_vec();
        let value_of = |site: &CallSite| match &program[site.call].kind {
            ExprKind::Call(_, arguments) => constant_text(fitting, *arguments.last()?),
            _ => None,
        };
        let values: Vec<Option<String>> = sites.iter().map(value_of).collect();
        // Calls without a constant there say all of their arguments.
        let value = values.iter().flatten().next().cloned().unwrap_or_else(|| "0".to_owned());
        if !fitting.takes(program[function].name) {
            continue;
        }
        let name = fitting.function_name(function);
        for (site, own) in sites.iter().zip(&values) {
            let ExprKind::Call(_, arguments) = &program[site.call].kind else { continue };
            if own.as_ref() != Some(&value) {
                continue;
            }
            let mut pieces: Vec<Snippet> = vec![format!("{name}(").into()];
            for (at, argument) in arguments[..arguments.len() - 1].iter().enumerate() {
                if at > 0 {
                    pieces.push(", ".into());
                }
                pieces.push(Snippet::Argument(*argument));
            }
            pieces.push(")".into());
            fitting.spellings.expr(site.call, pieces);
        }
        fitting.spellings.heads.entry(function).or_default().default = Some(value);
        take(fitting, function);
    }
}
