//! Dresses of expressions.

use farrier_lang::print::{Snippet, print_expr};
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, IntKind, LogicalOp, ObjectId, Qualifiers, Storage, Type, TypeId,
    Types, UnaryOp,
};

use super::Cplusplus;
use super::fitting::Fitting;

/// Whether an expression is what a guard checks: the printer takes it apart.
fn is_guarded(fitting: &Fitting<'_>, expr: ExprId) -> bool {
    let parent = fitting.facts.parent(expr);
    parent.is_some_and(|parent| matches!(fitting.program[parent].kind, ExprKind::Guard { .. }))
}

/// Casts as `static_cast` and `reinterpret_cast`.
pub(super) fn named_casts(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let ExprKind::Cast(operand) = program[expr].kind else { continue };
        let (to, from) = (program[expr].ty, program.type_of(operand));
        let named = match (program.resolve(from), program.resolve(to)) {
            (Type::Int(_) | Type::Float(_) | Type::Enum(_), Type::Int(_) | Type::Float(_)) => {
                "static_cast<"
            }
            (Type::Pointer(from), Type::Pointer(to)) if may_reinterpret(fitting, *from, *to) => {
                "reinterpret_cast<"
            }
            _ => continue,
        };
        if is_guarded(fitting, expr) || !fitting.takes_in(function) {
            continue;
        }
        let pieces = vec![
            named.into(),
            Snippet::Type(to.unqualified()),
            ">(".into(),
            Snippet::Argument(operand),
            ")".into(),
        ];
        fitting.spell(expr, pieces);
    }
}

/// Whether `reinterpret_cast` makes a pointer to one type of a pointer to the other: it takes no
/// qualifier away, and C++ makes none of `volatile` records.
fn may_reinterpret(fitting: &Fitting<'_>, from: TypeId, to: TypeId) -> bool {
    let plain = |ty: TypeId| {
        matches!(fitting.program.resolve(ty), Type::Int(_) | Type::Float(_) | Type::Record(_))
    };
    plain(from) && plain(to) && to.qualifiers().contains(from.qualifiers())
}

/// Conversions that C leaves unsaid as `static_cast`.
pub(super) fn said_conversions(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let ExprKind::Convert(operand) = program[expr].kind else { continue };
        let (to, from) = (program[expr].ty, program.type_of(operand));
        let numbers = fitting.is_number(to) && fitting.is_number(from);
        if !numbers || to == from || is_guarded(fitting, expr) || !fitting.takes_in(function) {
            continue;
        }
        let pieces = fitting.cast_to(to, operand);
        fitting.spell(expr, pieces);
    }
}

/// Casts in the form of a call: `int(x)`.
pub(super) fn functional_casts(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let (ExprKind::Cast(operand) | ExprKind::Convert(operand)) = program[expr].kind else {
            continue;
        };
        let to = program[expr].ty.unqualified();
        let word = fitting.type_text(to);
        let numbers = fitting.is_number(to) && fitting.is_number(program.type_of(operand));
        // Only a single word can be called.
        if !numbers
            || word.contains(' ')
            || to == program.type_of(operand)
            || is_guarded(fitting, expr)
            || fitting.spellings.has_expr(expr)
            || !fitting.takes_in(function)
        {
            continue;
        }
        fitting
            .spell(expr, vec![format!("{word}(").into(), Snippet::Argument(operand), ")".into()]);
    }
}

/// Operators as words.
pub(super) fn operator_words(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let pieces = match program[expr].kind {
            ExprKind::Binary(op, left, right) => {
                let word = match op {
                    BinaryOp::BitAnd => " bitand ",
                    BinaryOp::BitOr => " bitor ",
                    BinaryOp::BitXor => " xor ",
                    BinaryOp::NotEqual => " not_eq ",
                    _ => continue,
                };
                vec![
                    "(".into(),
                    Snippet::Postfix(left),
                    word.into(),
                    Snippet::Postfix(right),
                    ")".into(),
                ]
            }
            ExprKind::Logical(op, left, right) => {
                let word = if op == LogicalOp::And { " and " } else { " or " };
                vec![
                    "(".into(),
                    Snippet::Postfix(left),
                    word.into(),
                    Snippet::Postfix(right),
                    ")".into(),
                ]
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                vec!["(not ".into(), Snippet::Postfix(operand), ")".into()]
            }
            ExprKind::Unary(UnaryOp::BitNot, operand) => {
                vec!["(compl ".into(), Snippet::Postfix(operand), ")".into()]
            }
            _ => continue,
        };
        if !is_guarded(fitting, expr) && fitting.takes_in(function) {
            fitting.spell(expr, pieces);
        }
    }
}

/// Null pointers as `nullptr`.
pub(super) fn null_pointers(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.facts.exprs.clone() {
        let ExprKind::Convert(operand) = program[expr].kind else { continue };
        let is_null = matches!(program.resolve(program[expr].ty), Type::Pointer(_))
            && matches!(program[operand].kind, ExprKind::Int(0));
        let taken = is_null
            && match function {
                Some(function) => fitting.takes_in(function),
                None => true,
            };
        if taken {
            fitting.spell(expr, vec!["nullptr".into()]);
        }
    }
}

/// The smaller or larger of two integers as `std::min` or `std::max`.
pub(super) fn extremes(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let ExprKind::Conditional { condition, then: Some(then), otherwise } = program[expr].kind
        else {
            continue;
        };
        let ExprKind::Binary(op, left, right) = program[fitting.explicit(condition)].kind else {
            continue;
        };
        let ty = program[expr].ty;
        let same =
            |one: ExprId, other: ExprId| print_expr(program, one) == print_expr(program, other);
        let fits =
            fitting.is_integer(ty) && program.type_of(left) == ty && !program.has_effect(expr);
        let first_if_smaller = match op {
            BinaryOp::Less | BinaryOp::LessEqual => true,
            BinaryOp::Greater | BinaryOp::GreaterEqual => false,
            _ => continue,
        };
        let is_smaller = match fits {
            true if same(left, then) && same(right, otherwise) => first_if_smaller,
            true if same(left, otherwise) && same(right, then) => !first_if_smaller,
            _ => continue,
        };
        if !fitting.takes_in(function) {
            continue;
        }
        let name = if is_smaller { "std::min<" } else { "std::max<" };
        let pieces = vec![
            name.into(),
            Snippet::Type(ty.unqualified()),
            ">(".into(),
            Snippet::Argument(left),
            ", ".into(),
            Snippet::Argument(right),
            ")".into(),
        ];
        fitting.spell(expr, pieces);
    }
}

/// Casts between integers of one size as `std::bit_cast`.
pub(super) fn bit_casts(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let (ExprKind::Cast(operand) | ExprKind::Convert(operand)) = program[expr].kind else {
            continue;
        };
        let (to, from) = (program[expr].ty.unqualified(), program.type_of(operand).unqualified());
        let (&Type::Int(wide), &Type::Int(narrow)) = (program.resolve(to), program.resolve(from))
        else {
            continue;
        };
        let bits = |kind| program.target.int_bits(kind);
        if wide == narrow
            || bits(wide) != bits(narrow)
            || is_guarded(fitting, expr)
            || fitting.spellings.has_expr(expr)
            || !fitting.takes_in(function)
        {
            continue;
        }
        let pieces = vec![
            "std::bit_cast<".into(),
            Snippet::Type(to),
            ">(static_cast<".into(),
            Snippet::Type(from),
            ">(".into(),
            Snippet::Argument(operand),
            "))".into(),
        ];
        fitting.spell(expr, pieces);
    }
}

/// The builtins on bits that have a function in `<bit>`, each with the type of its argument.
const BIT_FUNCTIONS: [(&str, &str, IntKind); 9] = [
    ("__builtin_popcount", "std::popcount", IntKind::UInt),
    ("__builtin_popcountl", "std::popcount", IntKind::ULong),
    ("__builtin_popcountll", "std::popcount", IntKind::ULongLong),
    ("__builtin_clz", "std::countl_zero", IntKind::UInt),
    ("__builtin_clzl", "std::countl_zero", IntKind::ULong),
    ("__builtin_clzll", "std::countl_zero", IntKind::ULongLong),
    ("__builtin_ctz", "std::countr_zero", IntKind::UInt),
    ("__builtin_ctzl", "std::countr_zero", IntKind::ULong),
    ("__builtin_ctzll", "std::countr_zero", IntKind::ULongLong),
];

/// Builtins on bits as functions of `<bit>`.
pub(super) fn bit_functions(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let ExprKind::Builtin(builtin, arguments) = &program[expr].kind else { continue };
        let name = builtin.row().name;
        let Some((_, other, kind)) = BIT_FUNCTIONS.iter().find(|row| row.0 == name) else {
            continue;
        };
        let &[argument] = &arguments[..] else { continue };
        if fitting.takes_in(function) {
            let mut pieces = vec![format!("{other}(").into()];
            pieces.extend(fitting.cast_to(Types::int(*kind), argument));
            pieces.push(")".into());
            fitting.spell(expr, pieces);
        }
    }
}

/// Local objects that are read as `std::move(x)`.
pub(super) fn moves(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let ExprKind::Load(place) = program[expr].kind else { continue };
        let ExprKind::Object(object) = program[place].kind else { continue };
        let is_plain = fitting.is_number(program[object].ty)
            && !program[object].ty.qualifiers().intersects(Qualifiers::VOLATILE);
        if is_plain && !fitting.spellings.has_expr(expr) && fitting.takes_in(function) {
            fitting.spell(expr, vec!["std::move(".into(), Snippet::Postfix(place), ")".into()]);
        }
    }
}

/// Assignments of records as calls of their operator.
pub(super) fn operator_calls(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let ExprKind::Assign(target, value) = program[expr].kind else { continue };
        let is_record = matches!(program.resolve(program[expr].ty), Type::Record(_));
        if is_record && fitting.takes_in(function) {
            let pieces = vec![
                Snippet::Postfix(target),
                ".operator=(".into(),
                Snippet::Argument(value),
                ")".into(),
            ];
            fitting.spell(expr, pieces);
        }
    }
}

/// The automatic objects that an expression names; `None` if a lambda cannot capture one.
pub(super) fn captured(
    fitting: &Fitting<'_>,
    expr: ExprId,
    found: &mut Vec<ObjectId>,
) -> Option<()> {
    let kind = &fitting.program[expr].kind;
    match *kind {
        _ if fitting.renamed.contains(&expr) => return None,
        ExprKind::Object(object) => {
            let is_local = fitting.facts.homes.contains_key(&object) || {
                let object = &fitting.program[object];
                object.linkage == farrier_lang::Linkage::None
            };
            let storage = fitting.program[object].storage;
            let is_automatic = matches!(storage, Storage::Automatic | Storage::Register);
            if fitting.bound.contains(&object) {
                return None;
            }
            if is_local && is_automatic && !found.contains(&object) {
                found.push(object);
            }
        }
        ExprKind::StatementExpr(_) | ExprKind::VaArg(_) | ExprKind::LabelAddress(_) => return None,
        _ => {}
    }
    let mut possible = Some(());
    kind.for_each_operand(|operand| {
        possible = possible.and_then(|()| captured(fitting, operand, found));
    });
    possible
}

/// Whether an expression makes no pointer to an object that it names.
fn makes_no_pointer(fitting: &Fitting<'_>, expr: ExprId) -> bool {
    let kind = &fitting.program[expr].kind;
    let mut clean = !matches!(kind, ExprKind::AddressOf(_) | ExprKind::Decay(_));
    kind.for_each_operand(|operand| clean = clean && makes_no_pointer(fitting, operand));
    clean
}

/// The ways to capture what a lambda needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Capture {
    References,
    Copies,
    Named,
    NamedCopies,
    /// New objects, which have the names of those that they are copies of.
    Initialised,
    /// None: what it needs is passed on.
    Arguments,
}

/// Spells expressions as calls of lambdas.
fn lambda_calls(fitting: &mut Fitting<'_>, capture: Capture, wrap: bool) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let is_operation =
            matches!(program[expr].kind, ExprKind::Binary(..) | ExprKind::Conditional { .. });
        let ty = program[expr].ty.unqualified();
        if !is_operation
            || !fitting.is_integer(ty)
            || is_guarded(fitting, expr)
            || fitting.is_evaluated(function) && (wrap || fitting.standard < Cplusplus::Cpp17)
            || !fitting.takes_in(function)
        {
            continue;
        }
        let mut objects = Vec::new();
        if captured(fitting, expr, &mut objects).is_none() {
            continue;
        }
        let can_copy = !program.has_effect(expr) && makes_no_pointer(fitting, expr);
        let are_numbers = objects.iter().all(|object| {
            let is_boxed = fitting.boxed.contains(object);
            fitting.is_number(program[*object].ty) && !is_boxed && !is_volatile(fitting, *object)
        });
        let written = |text: fn(&str) -> String| -> String {
            let names = objects.iter().filter_map(|object| fitting.name(*object));
            names.map(text).collect::<Vec<_>>().join(", ")
        };
        let (list, parameters, arguments) = match capture {
            Capture::Copies | Capture::NamedCopies if !can_copy => continue,
            Capture::Initialised | Capture::Arguments if !can_copy || !are_numbers => continue,
            Capture::Copies => ("=".to_owned(), String::new(), String::new()),
            Capture::References => ("&".to_owned(), String::new(), String::new()),
            Capture::Named => (written(|name| format!("&{name}")), String::new(), String::new()),
            Capture::NamedCopies => (written(str::to_owned), String::new(), String::new()),
            Capture::Initialised => {
                (written(|name| format!("{name} = {name}")), String::new(), String::new())
            }
            Capture::Arguments => {
                (String::new(), written(|name| format!("auto {name}")), written(str::to_owned))
            }
        };
        let mut pieces: Vec<Snippet> = Vec::new();
        if wrap {
            pieces.extend(["std::function<".into(), Snippet::Type(ty), "()>".into()]);
        }
        // Two brackets in a row would begin an attribute.
        let end = if wrap { "; })()".to_owned() } else { format!("; }}({arguments}))") };
        pieces.extend([
            format!("([{list}]({parameters}) -> ").into(),
            Snippet::Type(ty),
            " { return ".into(),
            Snippet::Plain,
            end.into(),
        ]);
        fitting.spell(expr, pieces);
    }
}

/// Operations in lambdas that capture references.
pub(super) fn lambdas(fitting: &mut Fitting<'_>) {
    lambda_calls(fitting, Capture::References, false);
}

/// Operations in lambdas that capture copies.
pub(super) fn copying_lambdas(fitting: &mut Fitting<'_>) {
    lambda_calls(fitting, Capture::Copies, false);
}

/// Operations in lambdas that name what they capture.
pub(super) fn naming_lambdas(fitting: &mut Fitting<'_>) {
    lambda_calls(fitting, Capture::Named, false);
}

/// Operations in lambdas that name what they copy.
pub(super) fn copy_naming_lambdas(fitting: &mut Fitting<'_>) {
    lambda_calls(fitting, Capture::NamedCopies, false);
}

/// Operations in lambdas that make objects of what they capture.
pub(super) fn initialising_lambdas(fitting: &mut Fitting<'_>) {
    lambda_calls(fitting, Capture::Initialised, false);
}

/// Operations in lambdas with parameters of any type.
pub(super) fn generic_lambdas(fitting: &mut Fitting<'_>) {
    lambda_calls(fitting, Capture::Arguments, false);
}

/// Whether an object is volatile.
fn is_volatile(fitting: &Fitting<'_>, object: ObjectId) -> bool {
    fitting.program[object].ty.qualifiers().contains(Qualifiers::VOLATILE)
}

/// Comparisons of integers as `<=>`.
pub(super) fn three_ways(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (expr, function) in fitting.open_exprs() {
        let ExprKind::Binary(op, left, right) = program[expr].kind else { continue };
        let (ty, other) = (program.type_of(left), program.type_of(right));
        if !op.is_comparison()
            || !fitting.is_integer(ty)
            || ty.unqualified() != other.unqualified()
            || is_guarded(fitting, expr)
            || !fitting.takes_in(function)
        {
            continue;
        }
        let mut pieces = vec!["((".into()];
        pieces.extend(fitting.cast_to(ty, left));
        pieces.push(" <=> ".into());
        pieces.extend(fitting.cast_to(ty, right));
        pieces.push(format!(") {} 0)", op.text()).into());
        fitting.spell(expr, pieces);
    }
}

/// Operations in a `std::function`.
pub(super) fn function_objects(fitting: &mut Fitting<'_>) {
    lambda_calls(fitting, Capture::References, true);
}
