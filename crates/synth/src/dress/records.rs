//! Dresses of records.

use farrier_lang::print::{Snippet, declaration_text};
use farrier_lang::{
    Entity, ExprKind, Item, Program, Qualifiers, Record, RecordId, RecordKind, Type,
};

use super::fitting::Fitting;

/// The structures at file scope with plain members, all of which have names.
fn plain_records(fitting: &Fitting<'_>) -> Vec<RecordId> {
    let program = fitting.program;
    let defined = program.items.iter().filter_map(|item| match *item {
        Item::Define(Entity::Record(id)) => Some(id),
        _ => None,
    });
    defined.filter(|id| is_plain(program, &program[*id])).collect()
}

fn is_plain(program: &Program, record: &Record) -> bool {
    let Some(fields) = &record.fields else { return false };
    let scalar = |field: &farrier_lang::Field| {
        let ty = program.resolve(field.ty);
        let is_scalar =
            matches!(ty, Type::Int(_) | Type::Float(_) | Type::Pointer(_) | Type::Enum(_));
        field.name.is_some()
            && is_scalar
            && !field.packed
            && field.align.is_none()
            && field.attributes.is_empty()
            && !field.ty.qualifiers().contains(Qualifiers::CONST)
    };
    record.kind == RecordKind::Struct
        && record.tag.is_some()
        && !record.packed
        && record.pack.is_none()
        && record.align.is_none()
        && !record.may_alias
        && record.attributes.is_empty()
        && !fields.is_empty()
        && fields.iter().all(scalar)
}

/// Whether `offsetof` looks into a record.
fn has_offset(fitting: &Fitting<'_>, record: RecordId) -> bool {
    let program = fitting.program;
    fitting.facts.exprs.iter().any(|(expr, _)| match &program[*expr].kind {
        ExprKind::Offsetof(ty, _) => {
            matches!(program.resolve(*ty), Type::Record(found) if *found == record)
        }
        _ => false,
    })
}

/// The names of the members, in order.
fn names(program: &Program, record: RecordId) -> Vec<String> {
    let fields = program[record].fields.as_deref().unwrap_or_default();
    let named = fields.iter().filter_map(|field| field.name);
    named.map(|name| program.text(name).to_owned()).collect()
}

/// Constructors of a record: one that does nothing, and one with a parameter for each member.
fn constructors(program: &Program, record: RecordId, base: bool) -> String {
    let fields = program[record].fields.as_deref().unwrap_or_default();
    let tag = program.text(program[record].tag.expect("it has a name"));
    let mut parameters = Vec::new();
    let mut members = Vec::new();
    for (at, (field, name)) in fields.iter().zip(names(program, record)).enumerate() {
        let ty = field.ty.unqualified();
        let default = match at {
            0 => String::new(),
            _ => " = {}".to_owned(),
        };
        let parameter = declaration_text(program, ty, &format!("farrier_{at}"));
        parameters.push(format!("{parameter}{default}"));
        members.push(match (base, at) {
            (true, 0) => format!("farrier_base_{tag}{{farrier_0}}"),
            _ => format!("{name}(farrier_{at})"),
        });
    }
    format!(
        "    {tag}() = default;\n    constexpr {tag}({}) : {} {{}}\n",
        parameters.join(", "),
        members.join(", ")
    )
}

/// Structures as classes whose members are private: a constructor makes them, and functions
/// give access.
pub(super) fn private_members(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for record in plain_records(fitting) {
        let fields = program[record].fields.as_deref().unwrap_or_default();
        let tag = program[record].tag.expect("it is plain");
        if fields.iter().any(|field| field.bits.is_some())
            || has_offset(fitting, record)
            || fitting.spellings.records.contains_key(&record)
            || !fitting.takes(tag)
        {
            continue;
        }
        let mut last = format!("public:\n{}", constructors(program, record, false));
        for name in names(program, record) {
            last += &format!(
                "    auto get_{name}() -> decltype(({name})) {{ return {name}; }}\n    \
                 auto get_{name}() const -> decltype(({name})) {{ return {name}; }}\n"
            );
        }
        let spelling = fitting.spellings.records.entry(record).or_default();
        spelling.first = "private:\n".to_owned();
        spelling.last.push_str(&last);
        fitting.took(None);
        spell_members(fitting, record);
    }
}

/// Spells the uses of members of a record as calls.
fn spell_members(fitting: &mut Fitting<'_>, record: RecordId) {
    let program = fitting.program;
    for (expr, _) in fitting.facts.exprs.clone() {
        let ExprKind::Member(base, field) = program[expr].kind else { continue };
        match program.resolve(program.type_of(base)) {
            Type::Record(found) if *found == record => {}
            _ => continue,
        }
        let name = &names(program, record)[field as usize];
        let pieces = match program[fitting.explicit(base)].kind {
            ExprKind::Deref(pointer) => {
                vec![Snippet::Postfix(pointer), format!("->get_{name}()").into()]
            }
            _ => vec![Snippet::Postfix(base), format!(".get_{name}()").into()],
        };
        fitting.spellings.expr(expr, pieces);
        fitting.mark(expr);
    }
}

/// Structures whose first member comes from a base.
pub(super) fn bases(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for record in plain_records(fitting) {
        let fields = program[record].fields.as_deref().unwrap_or_default();
        let tag = program[record].tag.expect("it is plain");
        if fields.len() < 2
            || fields[0].bits.is_some()
            || has_offset(fitting, record)
            || fitting.spellings.records.contains_key(&record)
            || !fitting.takes(tag)
        {
            continue;
        }
        let text = program.text(tag);
        let member = declaration_text(program, fields[0].ty, &names(program, record)[0]);
        let spelling = fitting.spellings.records.entry(record).or_default();
        spelling.before = format!("struct farrier_base_{text} {{\n    {member};\n}};\n");
        spelling.base = format!(" : farrier_base_{text}");
        spelling.elsewhere = vec![0];
        spelling.last.push_str(&constructors(program, record, true));
        mark_uses(fitting, record, 0);
        fitting.took(None);
        fitting.reach_record(record);
    }
}

/// Marks the statements that use a member.
fn mark_uses(fitting: &mut Fitting<'_>, record: RecordId, member: u32) {
    let program = fitting.program;
    for (expr, _) in fitting.facts.exprs.clone() {
        let ExprKind::Member(base, field) = program[expr].kind else { continue };
        let found = program.resolve(program.type_of(base));
        if field == member && matches!(found, Type::Record(found) if *found == record) {
            fitting.mark(expr);
        }
    }
}

/// Structures with a constructor.
pub(super) fn constructed(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for record in plain_records(fitting) {
        let tag = program[record].tag.expect("it is plain");
        if fitting.spellings.records.contains_key(&record) || !fitting.takes(tag) {
            continue;
        }
        let text = constructors(program, record, false);
        fitting.spellings.records.entry(record).or_default().last.push_str(&text);
        fitting.took(None);
        fitting.reach_record(record);
    }
}

/// An operator of their own in the place of assignments of records.
pub(super) fn own_operators(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for record in plain_records(fitting) {
        let tag = program[record].tag.expect("it is plain");
        let sites: Vec<_> = fitting
            .facts
            .exprs
            .iter()
            .filter_map(|&(expr, _)| match program[expr].kind {
                ExprKind::Assign(target, value)
                    if matches!(program.resolve(program[expr].ty),
                        Type::Record(found) if *found == record)
                        && !fitting.facts.is_frozen(expr)
                        && !fitting.spellings.has_expr(expr) =>
                {
                    Some((expr, target, value))
                }
                _ => None,
            })
            .collect();
        if sites.is_empty() || !fitting.takes(tag) {
            continue;
        }
        let text = program.text(tag);
        let operator = format!(
            "    {text} &operator<<=(const {text} &farrier_other) {{\n        \
             *this = farrier_other;\n        return *this;\n    }}\n"
        );
        fitting.spellings.records.entry(record).or_default().last.push_str(&operator);
        for (expr, target, value) in sites {
            let pieces = vec![
                "(".into(),
                Snippet::Postfix(target),
                " <<= ".into(),
                Snippet::Postfix(value),
                ")".into(),
            ];
            fitting.spell(expr, pieces);
        }
    }
}
