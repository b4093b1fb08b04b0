//! Numbers as objects of a class, and functions as members of the records that they get.

use farrier_lang::print::Snippet;
use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, IntKind, Item, ObjectId, Qualifiers, RecordId, StepOp,
    Type, TypeId, Types,
};

use super::fitting::Fitting;
use super::functions::{free_functions, signature, take};
use super::objects::{Local, define, local_numbers};

/// A class of numbers that does what its numbers do.
const NUMBER: &str = "\
template <class T> class farrier_number {
    T value;
public:
    farrier_number(T from) : value(from) {}
    operator T() const { return value; }
    T operator=(T from) { return value = from; }
    template <class U> T operator+=(U by) { return value += by; }
    template <class U> T operator-=(U by) { return value -= by; }
    template <class U> T operator*=(U by) { return value *= by; }
    template <class U> T operator/=(U by) { return value /= by; }
    template <class U> T operator%=(U by) { return value %= by; }
    template <class U> T operator&=(U by) { return value &= by; }
    template <class U> T operator|=(U by) { return value |= by; }
    template <class U> T operator^=(U by) { return value ^= by; }
    template <class U> T operator<<=(U by) { return value <<= by; }
    template <class U> T operator>>=(U by) { return value >>= by; }
    T operator++() { return ++value; }
    T operator--() { return --value; }
    T operator++(int) { return value++; }
    T operator--(int) { return value--; }
    T *operator&() { return &value; }
    const T *operator&() const { return &value; }
};
";

/// How an object is used in one place.
enum Use {
    /// It is read: the node that reads it.
    Load(ExprId),
    /// It gets a value: the assignment, its operator, and the value.
    Change(ExprId, String, ExprId),
    /// It is counted, or its address is taken.
    Same,
}

/// The use of an object that a class of numbers can have, too.
fn use_of(fitting: &Fitting<'_>, mention: ExprId) -> Option<Use> {
    let program = fitting.program;
    let parent = fitting.facts.parent(mention)?;
    if fitting.facts.is_frozen(mention) {
        return None;
    }
    match program[parent].kind {
        ExprKind::Load(_) => Some(Use::Load(parent)),
        ExprKind::Assign(target, value) if target == mention => {
            Some(Use::Change(parent, " = ".to_owned(), value))
        }
        ExprKind::CompoundAssign { op, target, value, .. } if target == mention => {
            Some(Use::Change(parent, format!(" {}= ", op.text()), value))
        }
        ExprKind::Step(
            StepOp::PreIncrement
            | StepOp::PreDecrement
            | StepOp::PostIncrement
            | StepOp::PostDecrement,
            _,
        )
        | ExprKind::AddressOf(_) => Some(Use::Same),
        _ => None,
    }
}

/// Local numbers as objects of a class whose operators do what theirs do.
pub(super) fn numbers(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for local in local_numbers(fitting) {
        let Local { object, init, function, .. } = local;
        let ty = program[object].ty;
        let is_bool = matches!(program.resolve(ty), Type::Int(IntKind::Bool));
        let mentions = fitting.facts.mentions_of(object).to_vec();
        let uses: Option<Vec<(ExprId, Use)>> =
            mentions.iter().map(|mention| Some((*mention, use_of(fitting, *mention)?))).collect();
        let Some(uses) = uses else { continue };
        let guarded = |found: &(ExprId, Use)| {
            let changed = fitting.facts.parent(found.0).and_then(|node| fitting.facts.parent(node));
            !matches!(found.1, Use::Load(_))
                && changed
                    .is_some_and(|outer| matches!(program[outer].kind, ExprKind::Guard { .. }))
        };
        if is_bool || fitting.is_evaluated(function) || uses.iter().any(guarded) {
            continue;
        }
        let (Some(name), true) = (fitting.name(object), fitting.takes_object(object)) else {
            continue;
        };
        fitting.help(NUMBER);
        let plain = ty.unqualified();
        let constant = if ty.qualifiers().contains(Qualifiers::CONST) { "const " } else { "" };
        let mut pieces = vec![
            format!("{constant}farrier_number<").into(),
            Snippet::Type(plain),
            format!("> {name}(").into(),
        ];
        pieces.extend(fitting.cast_to(ty, init));
        pieces.push(")".into());
        define(fitting, &local, pieces);
        fitting.boxed.insert(object);
        for (mention, one) in uses {
            spell_use(fitting, mention, one, plain);
        }
    }
}

/// Spells one use of a number.
fn spell_use(fitting: &mut Fitting<'_>, mention: ExprId, one: Use, ty: TypeId) {
    fitting.mark(mention);
    match one {
        Use::Load(load) => {
            let pieces = vec![
                "static_cast<".into(),
                Snippet::Type(ty),
                ">(".into(),
                Snippet::Argument(mention),
                ")".into(),
            ];
            fitting.spellings.expr(load, pieces);
        }
        Use::Change(node, operator, value) => {
            let mut pieces = vec!["(".into(), Snippet::Postfix(mention), operator.into()];
            pieces.extend(fitting.cast_to(fitting.program.type_of(value), value));
            pieces.push(")".into());
            fitting.spellings.expr(node, pieces);
        }
        Use::Same => {}
    }
}

/// A function as a member of the record that is its first argument.
struct Method {
    function: FunctionId,
    record: RecordId,
    /// Whether it gets a pointer to the record.
    by_pointer: bool,
    constant: bool,
    /// The other parameters, and the result, without names of types.
    parameters: Vec<TypeId>,
    result: TypeId,
}

/// A number as the language names it, or nothing; `None` if a type is another.
fn plain_type(fitting: &Fitting<'_>, ty: TypeId) -> Option<TypeId> {
    match *fitting.program.resolve(ty) {
        Type::Int(kind) => Some(Types::int(kind)),
        Type::Float(kind) => Some(Types::float(kind)),
        Type::Void => Some(Types::VOID),
        _ => None,
    }
}

/// The method that a function can be.
fn method(fitting: &Fitting<'_>, function: FunctionId) -> Option<Method> {
    let program = fitting.program;
    let ty = signature(fitting, function);
    let (&first, rest) = ty.parameters.split_first()?;
    let (record, target, by_pointer) = match *program.resolve(first) {
        Type::Record(record) => (record, first, false),
        Type::Pointer(target) => match *program.resolve(target) {
            Type::Record(record) => (record, target, true),
            _ => return None,
        },
        _ => return None,
    };
    let parameters = rest.iter().map(|ty| plain_type(fitting, *ty)).collect::<Option<_>>()?;
    let result = plain_type(fitting, ty.result)?;
    let is_defined = program.items.contains(&Item::Define(Entity::Record(record)));
    let constant = !by_pointer || target.qualifiers().contains(Qualifiers::CONST);
    // Only an address that is written down is no null pointer for sure.
    let has_object = |call: ExprId| match &program[call].kind {
        ExprKind::Call(_, arguments) => {
            let argument = fitting.explicit(arguments[0]);
            !by_pointer || matches!(program[argument].kind, ExprKind::AddressOf(_))
        }
        _ => false,
    };
    let fits = is_defined
        && program[record].tag.is_some()
        && !target.qualifiers().contains(Qualifiers::VOLATILE)
        && !fitting.facts.forward.contains(&function)
        && !fitting.facts.addressed.contains(&function)
        && fitting.facts.calls_of(function).iter().all(|site| has_object(site.call));
    fits.then_some(Method { function, record, by_pointer, constant, parameters, result })
}

/// Functions as members of the record that is their first argument.
pub(super) fn methods(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for function in free_functions(fitting) {
        let Some(method) = method(fitting, function) else { continue };
        if !fitting.takes(program[function].name) {
            continue;
        }
        define_method(fitting, &method);
        let name = format!("farrier_call_{}", fitting.function_name(function));
        for site in fitting.facts.calls_of(function).to_vec() {
            let ExprKind::Call(_, arguments) = &program[site.call].kind else { continue };
            let arrow = if method.by_pointer { "->" } else { "." };
            let mut pieces = vec![Snippet::Postfix(arguments[0]), format!("{arrow}{name}(").into()];
            for (at, argument) in arguments[1..].iter().enumerate() {
                pieces.push(if at > 0 { ", ".into() } else { "".into() });
                pieces.push(Snippet::Argument(*argument));
            }
            pieces.push(")".into());
            fitting.spellings.expr(site.call, pieces);
        }
        take(fitting, function);
    }
}

/// The declaration of a method in its class, and its definition.
fn define_method(fitting: &mut Fitting<'_>, method: &Method) {
    let &Method { function, record, by_pointer, constant, ref parameters, result } = method;
    let program = fitting.program;
    let name = fitting.function_name(function);
    let tag = program.text(program[record].tag.expect("it has a name"));
    let types: Vec<String> = parameters.iter().map(|ty| fitting.type_text(*ty)).collect();
    let after = if constant { " const" } else { "" };
    let result = fitting.type_text(result);
    let head = format!("    auto farrier_call_{name}({}){after} -> {result};\n", types.join(", "));
    fitting.spellings.records.entry(record).or_default().last.push_str(&head);
    let names = &program[function].parameters;
    let mut pieces: Vec<Snippet> = vec![format!("auto {tag}::farrier_call_{name}(").into()];
    for (at, &parameter) in names[1..].iter().enumerate() {
        let own = fitting.name(parameter).expect("free functions have named parameters");
        pieces.push(if at > 0 { ", ".into() } else { "".into() });
        pieces.push(Snippet::Declared(program[parameter].ty, own.to_owned()));
    }
    let first: ObjectId = names[0];
    let own = fitting.name(first).expect("free functions have named parameters");
    let value = if by_pointer { " = this;\n" } else { " = *this;\n" };
    pieces.extend([
        format!("){after} -> {result}\n{{\n    ").into(),
        Snippet::Declared(program[first].ty, own.to_owned()),
        value.into(),
        Snippet::Body(function),
        "\n}\n".into(),
    ]);
    fitting.spellings.function(function, pieces);
}
