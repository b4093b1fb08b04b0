//! Dresses of objects: local ones and those at file scope.

use farrier_lang::print::Snippet;
use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, Item, Linkage, ObjectId, Qualifiers, Stmt, StmtId,
    Storage, Type,
};

use super::fitting::Fitting;

/// A local object with an initialiser that is a number.
pub(super) struct Local {
    pub(super) stmt: StmtId,
    pub(super) object: ObjectId,
    pub(super) init: ExprId,
    pub(super) function: FunctionId,
    /// Whether it stands in the first clause of a loop.
    pub(super) in_head: bool,
}

/// The local numbers that a dress may declare in another way.
pub(super) fn local_numbers(fitting: &Fitting<'_>) -> Vec<Local> {
    let program = fitting.program;
    let mut found = Vec::new();
    for &(stmt, function) in &fitting.facts.stmts {
        let Stmt::Declare(object) = program[stmt] else { continue };
        let held = &program[object];
        let Some(init) = held.init else { continue };
        let around = fitting.facts.around.get(&stmt).map(|around| &program[*around]);
        let in_head = matches!(around, Some(Stmt::For { .. }));
        if let Some(Stmt::For { init, .. }) = around
            && init.len() > 1
        {
            continue;
        }
        if held.storage == Storage::Automatic
            && held.align.is_none()
            && held.attributes.is_empty()
            && fitting.is_number(held.ty)
            && !held.ty.qualifiers().contains(Qualifiers::VOLATILE)
            && !fitting.facts.bypassed.contains(&object)
            && !fitting.facts.is_hinted_head(program, stmt)
            && !fitting.taken_objects.contains(&object)
            && !fitting.spellings.has_object(object)
        {
            found.push(Local { stmt, object, init, function, in_head });
        }
    }
    found
}

/// Counts an object as taken, and spells its definition.
pub(super) fn define(fitting: &mut Fitting<'_>, local: &Local, pieces: Vec<Snippet>) {
    fitting.took(Some(local.stmt));
    fitting.taken_objects.insert(local.object);
    fitting.spellings.object(local.object, pieces);
}

/// `auto x = ...`
pub(super) fn deduced(fitting: &mut Fitting<'_>) {
    for local in local_numbers(fitting) {
        let (Some(name), true) = (fitting.name(local.object), fitting.takes_object(local.object))
        else {
            continue;
        };
        let ty = fitting.program[local.object].ty;
        let constant = if ty.qualifiers().contains(Qualifiers::CONST) { "const " } else { "" };
        let mut pieces = vec![format!("{constant}auto {name} = ").into()];
        pieces.extend(fitting.cast_to(ty, local.init));
        define(fitting, &local, pieces);
    }
}

/// `int x{...}`
pub(super) fn braced(fitting: &mut Fitting<'_>) {
    for local in local_numbers(fitting) {
        let (Some(name), true) = (fitting.name(local.object), fitting.takes_object(local.object))
        else {
            continue;
        };
        let ty = fitting.program[local.object].ty;
        let mut pieces = vec![Snippet::Declared(ty, name.to_owned()), "{".into()];
        pieces.extend(fitting.cast_to(ty, local.init));
        pieces.push("}".into());
        define(fitting, &local, pieces);
    }
}

/// `int &&x = ...`: a reference to an object without a name.
pub(super) fn references(fitting: &mut Fitting<'_>) {
    for local in local_numbers(fitting) {
        let (Some(name), true) = (fitting.name(local.object), fitting.takes_object(local.object))
        else {
            continue;
        };
        let ty = fitting.program[local.object].ty;
        let mut pieces = vec![Snippet::Declared(ty, format!("&&{name}")), " = ".into()];
        pieces.extend(fitting.cast_to(ty, local.init));
        define(fitting, &local, pieces);
    }
}

/// `std::unique_ptr<int> owner(new int(...)); int &x = *owner`
pub(super) fn owned(fitting: &mut Fitting<'_>) {
    for local in local_numbers(fitting) {
        let is_evaluated = fitting.is_evaluated(local.function);
        if local.in_head || is_evaluated || fitting.facts.labelled.contains(&local.function) {
            continue;
        }
        let (Some(name), true) = (fitting.name(local.object), fitting.takes_object(local.object))
        else {
            continue;
        };
        let ty = fitting.program[local.object].ty;
        let plain = ty.unqualified();
        let mut pieces = vec![
            "std::unique_ptr<".into(),
            Snippet::Type(plain),
            format!("> farrier_owner_{name}(new ").into(),
            Snippet::Type(plain),
            "(".into(),
        ];
        pieces.extend(fitting.cast_to(ty, local.init));
        pieces.extend([
            ")); ".into(),
            Snippet::Declared(ty, format!("&{name}")),
            format!(" = *farrier_owner_{name}").into(),
        ]);
        define(fitting, &local, pieces);
    }
}

/// `auto [x, y] = std::tuple<int, long>{..., ...}`: two neighbours at once.
pub(super) fn bindings(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    let locals = local_numbers(fitting);
    for (stmt, _) in fitting.facts.stmts.clone() {
        let Stmt::Block(list) = &program[stmt] else { continue };
        for pair in list.windows(2) {
            let find = |stmt: StmtId| locals.iter().find(|local| local.stmt == stmt);
            let (Some(one), Some(two)) = (find(pair[0]), find(pair[1])) else { continue };
            let is_free = |local: &Local| {
                !fitting.taken_objects.contains(&local.object)
                    && program[local.object].ty.qualifiers().is_empty()
                    && !program.has_effect(local.init)
            };
            let apart = !mentions(fitting, two.init, one.object);
            if !is_free(one) || !is_free(two) || !apart || !fitting.takes_object(one.object) {
                continue;
            }
            let (Some(first), Some(second)) = (fitting.name(one.object), fitting.name(two.object))
            else {
                continue;
            };
            let (a, b) = (program[one.object].ty, program[two.object].ty);
            let mut pieces = vec![
                format!("auto [{first}, {second}] = std::tuple<").into(),
                Snippet::Type(a),
                ", ".into(),
                Snippet::Type(b),
                ">{".into(),
            ];
            pieces.extend(fitting.cast_to(a, one.init));
            pieces.push(", ".into());
            pieces.extend(fitting.cast_to(b, two.init));
            pieces.push("};\n".into());
            fitting.spellings.stmt(one.stmt, pieces);
            fitting.spellings.stmt(two.stmt, vec![";\n".into()]);
            for local in [one, two] {
                fitting.taken_objects.insert(local.object);
                fitting.bound.insert(local.object);
                fitting.took(Some(local.stmt));
            }
        }
    }
}

/// Whether an expression names an object.
pub(super) fn mentions(fitting: &Fitting<'_>, expr: ExprId, object: ObjectId) -> bool {
    let kind = &fitting.program[expr].kind;
    let mut found = matches!(kind, ExprKind::Object(other) if *other == object);
    kind.for_each_operand(|operand| found = found || mentions(fitting, operand, object));
    found
}

/// The objects at file scope that a dress may define in another way.
fn globals(fitting: &Fitting<'_>) -> Vec<ObjectId> {
    let program = fitting.program;
    let is_free = |id: &ObjectId| {
        let object = &program[*id];
        let declared = program.items.contains(&Item::Declare(Entity::Object(*id)));
        object.storage == Storage::Static
            && object.linkage != Linkage::None
            && object.align.is_none()
            && object.attributes.is_empty()
            && object.asm_name.is_none()
            && !declared
            && !fitting.taken_objects.contains(id)
            && !fitting.spellings.has_object(*id)
    };
    fitting.facts.globals.iter().map(|(id, _)| *id).filter(is_free).collect()
}

/// Marks every statement that uses an object by another name.
fn rename(fitting: &mut Fitting<'_>, object: ObjectId, name: String) {
    fitting.took(None);
    fitting.taken_objects.insert(object);
    for mention in fitting.facts.mentions_of(object).to_vec() {
        fitting.mark(mention);
    }
    fitting.spellings.objects.insert(object, name);
}

/// Inline variables.
pub(super) fn inline_variables(fitting: &mut Fitting<'_>) {
    for object in globals(fitting) {
        if fitting.program[object].linkage == Linkage::Internal && fitting.takes_object(object) {
            fitting.took(None);
            fitting.reach_object(object);
            fitting.taken_objects.insert(object);
            fitting.spellings.object(object, vec!["inline ".into(), Snippet::Plain]);
        }
    }
}

/// Objects in a namespace of their own.
pub(super) fn namespace_variables(fitting: &mut Fitting<'_>) {
    for object in globals(fitting) {
        let (Some(name), true) = (fitting.name(object), fitting.takes_object(object)) else {
            continue;
        };
        let pieces = vec![
            format!("namespace farrier_space_{name} {{ ").into(),
            Snippet::Plain,
            "; }".into(),
        ];
        fitting.spellings.object(object, pieces);
        rename(fitting, object, format!("farrier_space_{name}::{name}"));
    }
}

/// Objects as static members.
pub(super) fn static_members(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for object in globals(fitting) {
        let ty = program[object].ty;
        let is_string = program[object]
            .init
            .is_some_and(|init| matches!(program[init].kind, ExprKind::String(_)));
        let is_plain = matches!(program.resolve(ty), Type::Int(_) | Type::Array { .. });
        if is_string || !is_plain || program[object].init.is_none() {
            continue;
        }
        let (Some(name), true) = (fitting.name(object), fitting.takes_object(object)) else {
            continue;
        };
        let init = program[object].init.expect("it was asked for");
        let pieces = vec![
            format!("struct farrier_holder_{name} {{ static ").into(),
            Snippet::Declared(ty, name.to_owned()),
            "; }; ".into(),
            Snippet::Declared(ty, format!("farrier_holder_{name}::{name}")),
            " = ".into(),
            Snippet::Initialiser(init),
        ];
        fitting.spellings.object(object, pieces);
        rename(fitting, object, format!("farrier_holder_{name}::{name}"));
    }
}
