//! Functions that the compiler evaluates: its own interpreter is held against the machine.

use farrier_lang::print::{GuardStyle, PrintOptions, Snippet, print_items};
use farrier_lang::{
    Dialect, Entity, ExprId, ExprKind, FunctionId, Item, Linkage, Qualifiers, SourceText, Stmt,
    StmtId, Storage, Type, TypeId,
};
use farrier_machine::{Options, Verdict, run};

use super::fitting::Fitting;
use super::functions::{free_functions, signature, take};

/// How many operations a call may take: compilers give up after some more.
const MOST_STEPS: u64 = 20_000;

/// How many calls of a function are evaluated.
const CALLS: usize = 3;

/// The builtins that compilers evaluate.
const EVALUATED: [&str; 14] = [
    "__builtin_popcount",
    "__builtin_popcountl",
    "__builtin_popcountll",
    "__builtin_clz",
    "__builtin_clzl",
    "__builtin_clzll",
    "__builtin_ctz",
    "__builtin_ctzl",
    "__builtin_ctzll",
    "__builtin_parity",
    "__builtin_bswap16",
    "__builtin_bswap32",
    "__builtin_bswap64",
    "__builtin_expect",
];

/// A function and the calls of it whose results are known.
struct Evaluated {
    function: FunctionId,
    /// The arguments, and the result.
    calls: Vec<(Vec<i64>, i128)>,
}

/// Whether a type is one that constants have.
fn is_value(fitting: &Fitting<'_>, ty: TypeId) -> bool {
    let is_wide = |kind| fitting.program.target.int_bits(kind) > 64;
    matches!(fitting.program.resolve(ty), Type::Int(kind) if !is_wide(*kind))
        && !ty.qualifiers().contains(Qualifiers::VOLATILE)
}

/// Whether a function can be evaluated if `known` can.
fn is_evaluable(fitting: &Fitting<'_>, function: FunctionId, known: &[FunctionId]) -> bool {
    let program = fitting.program;
    let ty = signature(fitting, function);
    let parameters = program[function].parameters.iter();
    is_value(fitting, ty.result)
        && !fitting.facts.forward.contains(&function)
        && parameters.clone().all(|parameter| is_value(fitting, program[*parameter].ty))
        && program[function].body.is_some_and(|body| statement(fitting, body, known))
}

/// Whether a statement can be evaluated.
fn statement(fitting: &Fitting<'_>, stmt: StmtId, known: &[FunctionId]) -> bool {
    let program = fitting.program;
    let mut can = match &program[stmt] {
        Stmt::Declare(object) => {
            let held = &program[*object];
            let init = held.init.is_some_and(|init| expression(fitting, init, known));
            init && held.storage == Storage::Automatic
                && held.attributes.is_empty()
                && is_value(fitting, held.ty)
                && !fitting.facts.bypassed.contains(object)
        }
        Stmt::Empty
        | Stmt::Expr(_)
        | Stmt::Block(_)
        | Stmt::If { .. }
        | Stmt::While { .. }
        | Stmt::DoWhile { .. }
        | Stmt::For { .. }
        | Stmt::Switch { .. }
        | Stmt::Case { .. }
        | Stmt::Default(_)
        | Stmt::Break
        | Stmt::Continue
        | Stmt::Return(_) => true,
        _ => false,
    };
    program[stmt].for_each_expr(|expr| can = can && expression(fitting, expr, known));
    program[stmt].for_each_child(|child| can = can && statement(fitting, child, known));
    can
}

/// Whether an expression can be evaluated.
fn expression(fitting: &Fitting<'_>, expr: ExprId, known: &[FunctionId]) -> bool {
    let program = fitting.program;
    let node = &program[expr];
    let mut can = match &node.kind {
        ExprKind::Object(object) => {
            let held = &program[*object];
            held.linkage == Linkage::None
                && held.storage == Storage::Automatic
                && is_value(fitting, held.ty)
        }
        ExprKind::Function(function) => known.contains(function),
        // A device has functions of its own for most of them.
        ExprKind::Builtin(builtin, _) => match program.target.environment.is_device {
            true => builtin.row().name == "__builtin_expect",
            false => EVALUATED.contains(&builtin.row().name),
        },
        ExprKind::Guard { .. } => fitting.guards == GuardStyle::Wrappers,
        ExprKind::Decay(operand) => {
            matches!(program[*operand].kind, ExprKind::Function(_))
        }
        ExprKind::Int(_)
        | ExprKind::EnumConstant(_)
        | ExprKind::Unary(..)
        | ExprKind::Step(..)
        | ExprKind::Binary(..)
        | ExprKind::Logical(..)
        | ExprKind::Comma(..)
        | ExprKind::Assign(..)
        | ExprKind::CompoundAssign { .. }
        | ExprKind::Conditional { .. }
        | ExprKind::Load(_)
        | ExprKind::Convert(_)
        | ExprKind::Cast(_)
        | ExprKind::Call(..)
        | ExprKind::SizeofType(_) => {
            let ty = program.resolve(node.ty);
            matches!(ty, Type::Int(_) | Type::Enum(_) | Type::Void)
        }
        _ => false,
    };
    node.kind.for_each_operand(|operand| can = can && expression(fitting, operand, known));
    can
}

/// Values at the borders of types, and some between them.
const VALUES: [i64; 12] = [0, 1, -1, 2, 7, 31, 100, 127, 255, 32767, 2_147_483_647, -2_147_483_647];

/// The arguments of the calls of a function that are tried.
fn arguments(fitting: &mut Fitting<'_>, function: FunctionId) -> Vec<Vec<i64>> {
    let count = signature(fitting, function).parameters.len();
    let name = fitting.program[function].name;
    let call = |fitting: &mut Fitting<'_>| -> Vec<i64> {
        (0..count).map(|_| VALUES[(fitting.draw(name) % VALUES.len() as u64) as usize]).collect()
    };
    let mut calls: Vec<Vec<i64>> = (0..2 * CALLS).map(|_| call(fitting)).collect();
    calls.dedup();
    calls
}

/// The C text of a call.
fn call_text(fitting: &Fitting<'_>, function: FunctionId, arguments: &[i64]) -> String {
    let words: Vec<String> = arguments.iter().map(|value| format!("{value}LL")).collect();
    format!("{}({})", fitting.function_name(function), words.join(", "))
}

/// The results of calls, by the machine; `None` where one is undefined or takes too long.
fn results(
    fitting: &Fitting<'_>,
    items: &[Item],
    function: FunctionId,
    arguments: &[i64],
) -> Option<i128> {
    let program = fitting.program;
    let options = PrintOptions::guards(fitting.guards);
    let mut text = print_items(program, items, &options);
    text += "int printf(const char *, ...);\n";
    text += &format!(
        "int main(void) {{ printf(\"%lld\", (long long){}); return 0; }}\n",
        call_text(fitting, function, arguments)
    );
    let reading = farrier_front::Options {
        target: program.target,
        dialect: Dialect::default(),
        permissive: false,
    };
    let read = farrier_front::parse(&[SourceText::new("call.c", text)], &reading).ok()?;
    let ran = run(&read, &Options { steps: MOST_STEPS, ..Options::default() });
    let Verdict::Defined(_) = ran.verdict else { return None };
    String::from_utf8(ran.output).ok()?.parse().ok()
}

/// The functions that can be evaluated and are taken, with calls whose results are known.
fn evaluated(fitting: &mut Fitting<'_>) -> Vec<Evaluated> {
    let program = fitting.program;
    let mut known: Vec<FunctionId> = Vec::new();
    let mut items: Vec<Item> = program
        .items
        .iter()
        .filter(|item| matches!(item.entity(), Some(Entity::Enum(_) | Entity::Record(_))))
        .copied()
        .collect();
    let mut found = Vec::new();
    for function in free_functions(fitting) {
        if !is_evaluable(fitting, function, &[&known[..], &[function]].concat())
            || !fitting.takes(program[function].name)
        {
            continue;
        }
        items.push(Item::Define(Entity::Function(function)));
        let mut calls = Vec::new();
        for arguments in arguments(fitting, function) {
            if let Some(result) = results(fitting, &items, function, &arguments) {
                calls.push((arguments, result));
            }
            if calls.len() == CALLS {
                break;
            }
        }
        if calls.is_empty() {
            items.pop();
            continue;
        }
        known.push(function);
        found.push(Evaluated { function, calls });
    }
    found
}

/// What follows a definition: the results of calls as assertions, bounds of arrays and arguments
/// of templates.
fn assertions(fitting: &Fitting<'_>, evaluated: &Evaluated, name: &str) -> String {
    let function = evaluated.function;
    let own = fitting.function_name(function);
    let mut text = String::new();
    for (at, (arguments, result)) in evaluated.calls.iter().enumerate() {
        let types = signature(fitting, function).parameters.iter();
        let words: Vec<String> = arguments
            .iter()
            .zip(types)
            .map(|(value, ty)| format!("static_cast<{}>({value}LL)", fitting.type_text(*ty)))
            .collect();
        let call = format!("static_cast<long long>({name}({}))", words.join(", "));
        let right = match i64::try_from(*result) {
            Ok(i64::MIN) | Err(_) => continue,
            Ok(value) => format!("{value}LL"),
        };
        text += &match at {
            0 => format!("static_assert({call} == {right}, \"{own}\");\n"),
            1 => format!("extern char farrier_bound_{own}[{call} == {right} ? 1 : -1];\n"),
            _ => format!("static_assert(farrier_value<{call}>::is == {right}, \"{own}\");\n"),
        };
    }
    text
}

/// A template that takes a constant.
const VALUE: &str =
    "template <long long N> struct farrier_value { static const long long is = N; };\n";

/// Functions as `constexpr`, with their results as assertions.
pub(super) fn constant_functions(fitting: &mut Fitting<'_>) {
    for one in evaluated(fitting) {
        let name = fitting.function_name(one.function);
        let text = assertions(fitting, &one, name);
        fitting.help(VALUE);
        fitting.spellings.heads.entry(one.function).or_default().before = "constexpr ".to_owned();
        fitting.spellings.function(one.function, vec![Snippet::Plain, text.into()]);
        fitting.constant_functions.insert(one.function);
        take(fitting, one.function);
    }
}

/// Copies of functions as `consteval`, with their results as assertions.
pub(super) fn immediate_functions(fitting: &mut Fitting<'_>) {
    let taken: Vec<FunctionId> = fitting.constant_functions.iter().copied().collect();
    if !taken.is_empty() {
        return;
    }
    for one in evaluated(fitting) {
        let program = fitting.program;
        // A copy sees the functions before it, but only those that are evaluated.
        let body = program[one.function].body.expect("it is defined");
        if !statement(fitting, body, &[]) {
            continue;
        }
        let own = fitting.function_name(one.function);
        let name = format!("farrier_now_{own}");
        let text = assertions(fitting, &one, &name);
        fitting.help(VALUE);
        let pieces = vec![
            Snippet::Plain,
            format!("consteval auto {name}(").into(),
            Snippet::Parameters(one.function),
            ") -> ".into(),
            Snippet::Type(signature(fitting, one.function).result.unqualified()),
            " ".into(),
            Snippet::Body(one.function),
            "\n".into(),
            text.into(),
        ];
        fitting.spellings.function(one.function, pieces);
        fitting.constant_functions.insert(one.function);
        take(fitting, one.function);
    }
}

/// The value that a function returns, if it does nothing else and needs no variable for it.
fn returned(fitting: &Fitting<'_>, function: FunctionId) -> Option<ExprId> {
    let program = fitting.program;
    let Stmt::Block(list) = &program[program[function].body?] else { return None };
    let &[only] = &list[..] else { return None };
    let Stmt::Return(Some(value)) = program[only] else { return None };
    is_pure(fitting, value).then_some(value)
}

/// Whether C calls an expression constant where its objects are.
fn is_pure(fitting: &Fitting<'_>, expr: ExprId) -> bool {
    let kind = &fitting.program[expr].kind;
    let mut pure = matches!(
        kind,
        ExprKind::Object(_)
            | ExprKind::Int(_)
            | ExprKind::EnumConstant(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Logical(..)
            | ExprKind::Conditional { then: Some(_), .. }
            | ExprKind::Load(_)
            | ExprKind::Convert(_)
            | ExprKind::Cast(_)
            | ExprKind::SizeofType(_)
    );
    kind.for_each_operand(|operand| pure = pure && is_pure(fitting, operand));
    pure
}

/// C23: what functions return, as constants that are computed from `constexpr` parameters.
pub(super) fn checked_functions(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for Evaluated { function, calls } in evaluated(fitting) {
        let Some(value) = returned(fitting, function) else { continue };
        let own = fitting.function_name(function);
        let result = signature(fitting, function).result.unqualified();
        let mut pieces = vec![Snippet::Plain];
        for (at, (arguments, known)) in calls.iter().enumerate() {
            let Ok(known) = i64::try_from(*known) else { continue };
            if known == i64::MIN {
                continue;
            }
            pieces.push(format!("static inline void farrier_check_{own}_{at}(void)\n{{\n").into());
            for (&parameter, argument) in program[function].parameters.iter().zip(arguments) {
                let ty = program[parameter].ty.unqualified();
                let name = fitting.name(parameter).expect("free functions name their parameters");
                pieces.extend([
                    "    constexpr ".into(),
                    Snippet::Declared(ty, name.to_owned()),
                    format!(" = ({})({argument}LL);\n", fitting.type_text(ty)).into(),
                ]);
            }
            pieces.extend([
                "    constexpr ".into(),
                Snippet::Declared(result, "farrier_result".to_owned()),
                format!(" = ({})(", fitting.type_text(result)).into(),
                Snippet::Argument(value),
                format!(
                    ");\n    _Static_assert((long long)farrier_result == {known}LL, \"{own}\");\n}}\n"
                )
                .into(),
            ]);
        }
        fitting.spellings.function(function, pieces);
        take(fitting, function);
    }
}
