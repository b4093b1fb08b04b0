//! Calls through virtual functions.

use farrier_lang::print::Snippet;
use farrier_lang::{ExprId, ExprKind, FunctionId, FunctionType, Item, ObjectId, Qualifiers, Type};

use super::calls::passed_on;
use super::fitting::Fitting;
use super::functions::{free_functions, signature, take};

/// Direct calls as calls of a virtual function, through a pointer to the base.
pub(super) fn virtual_calls(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for function in free_functions(fitting) {
        let place = fitting.facts.place_of(function);
        // The class is defined after the function, so only later functions see it.
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
        if sites.is_empty() || !fitting.takes(program[function].name) {
            continue;
        }
        let FunctionType { result, .. } = signature(fitting, function);
        let name = fitting.function_name(function);
        let pieces = vec![
            Snippet::Plain,
            format!("struct farrier_base_{name} {{\n    virtual auto call(").into(),
            Snippet::Parameters(function),
            ") -> ".into(),
            Snippet::Type(result.unqualified()),
            format!(
                " = 0;\n}};\nstatic struct farrier_derived_{name} : farrier_base_{name} {{\n    \
                 auto call("
            )
            .into(),
            Snippet::Parameters(function),
            ") -> ".into(),
            Snippet::Type(result.unqualified()),
            format!(
                " override {{ return {name}({}); }}\n}} farrier_object_{name};\n\
                 static farrier_base_{name} *farrier_pointer_{name} = &farrier_object_{name};\n",
                passed_on(fitting, function)
            )
            .into(),
        ];
        fitting.spellings.function(function, pieces);
        for site in sites {
            let ExprKind::Call(_, arguments) = &program[site.call].kind else { continue };
            let mut pieces = vec![format!("farrier_pointer_{name}->call(").into()];
            for (at, argument) in arguments.iter().enumerate() {
                pieces.push(if at > 0 { ", ".into() } else { "".into() });
                pieces.push(Snippet::Argument(*argument));
            }
            pieces.push(")".into());
            fitting.spellings.expr(site.call, pieces);
        }
        take(fitting, function);
    }
}

/// A table of functions that nothing changes: the object, its functions, and the calls.
struct Table {
    object: ObjectId,
    functions: Vec<FunctionId>,
    calls: Vec<(ExprId, ExprId)>,
}

/// The function that an initialiser names.
fn named_function(fitting: &Fitting<'_>, value: ExprId) -> Option<FunctionId> {
    match fitting.program[fitting.explicit(value)].kind {
        ExprKind::Function(function) => Some(function),
        ExprKind::AddressOf(operand) => named_function(fitting, operand),
        _ => None,
    }
}

/// The table that an object is; `None` if it is none, or used in another way than by calls.
fn table(fitting: &Fitting<'_>, object: ObjectId) -> Option<Table> {
    let program = fitting.program;
    let held = &program[object];
    let Type::Array { element, .. } = program.resolve(held.ty) else { return None };
    let Type::Pointer(target) = program.resolve(*element) else { return None };
    let Type::Function(ty) = program.resolve(*target) else { return None };
    let ExprKind::InitList(items) = &program[held.init?].kind else { return None };
    let named = items.iter().map(|item| named_function(fitting, item.value));
    let functions: Vec<FunctionId> = named.collect::<Option<_>>()?;
    let volatile = element.qualifiers().contains(Qualifiers::VOLATILE);
    if volatile || ty.variadic || !ty.prototyped || functions.is_empty() {
        return None;
    }
    let mut calls = Vec::new();
    for &mention in fitting.facts.mentions_of(object) {
        let decay = fitting.facts.parent(mention)?;
        let index = fitting.facts.parent(decay)?;
        let ExprKind::Index(base, place) = program[index].kind else { return None };
        let load = fitting.facts.parent(index)?;
        let call = fitting.facts.parent(load)?;
        match &program[call].kind {
            ExprKind::Call(callee, _) if *callee == load && base == decay => {
                calls.push((call, place));
            }
            _ => return None,
        }
    }
    Some(Table { object, functions, calls })
}

/// Tables of functions as tables of objects with a virtual function.
pub(super) fn virtual_tables(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (object, place) in fitting.facts.globals.clone() {
        let Some(Table { object, functions, calls }) = table(fitting, object) else { continue };
        let defined = |function: &FunctionId| {
            let declared = program.items[..place].iter().any(|item| {
                matches!(item, Item::Declare(found) | Item::Define(found)
                    if *found == farrier_lang::Entity::Function(*function))
            });
            declared && !fitting.taken_functions.contains(function)
        };
        if calls.is_empty()
            || fitting.taken_objects.contains(&object)
            || !functions.iter().all(defined)
            || calls.iter().any(|(call, _)| fitting.facts.is_frozen(*call))
            || !fitting.takes_object(object)
        {
            continue;
        }
        let Some(name) = fitting.name(object) else { continue };
        let FunctionType { result, parameters, .. } = signature(fitting, functions[0]);
        let types = parameters.iter().enumerate();
        let list: Vec<String> = types
            .map(|(at, ty)| {
                farrier_lang::print::declaration_text(program, *ty, &format!("farrier_{at}"))
            })
            .collect();
        let names: Vec<String> = (0..parameters.len()).map(|at| format!("farrier_{at}")).collect();
        let (list, names) = (list.join(", "), names.join(", "));
        let result = fitting.type_text(result.unqualified());
        let mut text = format!(
            "struct farrier_base_{name} {{\n    virtual auto call({list}) const -> {result} = 0;\n}};\n"
        );
        let mut objects = Vec::new();
        for (at, function) in functions.iter().enumerate() {
            let callee = fitting.function_name(*function);
            text += &format!(
                "static const struct farrier_derived_{name}_{at} : farrier_base_{name} {{\n    \
                 auto call({list}) const -> {result} override {{ return {callee}({names}); }}\n}} \
                 farrier_object_{name}_{at} = {{}};\n"
            );
            objects.push(format!("&farrier_object_{name}_{at}"));
        }
        text += &format!(
            "static const farrier_base_{name} *const farrier_table_{name}[] = {{{}}};\n",
            objects.join(", ")
        );
        fitting.spellings.object(object, vec![text.into(), Snippet::Plain]);
        for (call, index) in calls {
            let ExprKind::Call(_, arguments) = &program[call].kind else { continue };
            let mut pieces = vec![
                format!("farrier_table_{name}[").into(),
                Snippet::Argument(index),
                "]->call(".into(),
            ];
            for (at, argument) in arguments.iter().enumerate() {
                pieces.push(if at > 0 { ", ".into() } else { "".into() });
                pieces.push(Snippet::Argument(*argument));
            }
            pieces.push(")".into());
            fitting.spell(call, pieces);
        }
        fitting.taken_objects.insert(object);
        fitting.taken_functions.extend(functions);
    }
}
