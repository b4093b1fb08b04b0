//! Idioms that pattern matchers look for: expressions with holes, which are filled here.
//!
//! Each row of the [table] is drawn as an expression among others, and as the body of a
//! small [function](functions) that is called for many inputs.

mod functions;
mod recognise;
mod table;
mod template;

use std::sync::LazyLock;

use farrier_lang::{
    BinaryOp, ExprId, ExprKind, IntKind, IntegerType, ObjectId, Type, Types, UnaryOp, integer_type,
};

use super::draft::{Draft, Mode};
use super::values::{Site, Want};
use crate::features::{Feature, Weights};
pub(crate) use recognise::is_idiom;
use template::{CONSTANTS, Named, Node, Template, VALUES};

/// The idioms of the table.
static TEMPLATES: LazyLock<Vec<Template>> =
    LazyLock::new(|| table::ROWS.iter().map(|text| Template::read(text)).collect());

/// How many idioms see their values without a sign, and how many have sums that are cut to
/// their type, in percent; and how many of such sums are.
const UNSIGNED_VIEWS: u32 = 15;
const CUT_IDIOMS: u32 = 25;
const CUT_SUMS: u32 = 60;

/// How many constants are close to an earlier one, in percent, and how close.
const CLOSE_CONSTANTS: u32 = 40;
const CLOSE: i64 = 2;

/// The largest magnitude of small constants.
const SMALL: i64 = 40;

/// Divisors that compilers treat in many ways.
const DIVISORS: [i128; 16] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 25, 60, 64, 100];

/// How many divisors are any constant, and how many others are negative, in percent.
const ANY_DIVISORS: u32 = 25;
const NEGATIVE_DIVISORS: u32 = 20;

/// How many masks begin with the lowest bit, in percent.
const LOW_MASKS: u32 = 60;

/// The most bits that the builtins on bits take.
const MOST_BITS: u32 = 64;

/// How deep the operands of an idiom in an expression nest.
const OPERAND_DEPTH: u32 = 1;

/// What stands for a value.
#[derive(Clone, Copy)]
enum Hole {
    /// A variable, which may be written.
    Variable(ObjectId),
    /// An expression, of which each use is a copy.
    Expression(ExprId),
}

/// What the holes of one idiom are filled with.
struct Filling {
    kind: IntKind,
    integer: IntegerType,
    values: [Option<Hole>; VALUES.len()],
    constants: [Option<i128>; CONSTANTS.len()],
    narrower: Option<IntKind>,
    wider: Option<IntKind>,
    unsigned: bool,
    /// How many sums are cut to the type.
    cut: u32,
    /// A part that was computed before, and the variable that holds it.
    moved: Option<(&'static Node, ObjectId)>,
}

/// The idioms that a program with these features can have, by their numbers.
pub(super) fn possible(weights: &Weights) -> Vec<usize> {
    let fits = |template: &Template| template.features.iter().all(|it| weights.has(*it));
    (0..TEMPLATES.len()).filter(|index| fits(&TEMPLATES[*index])).collect()
}

impl Draft<'_> {
    /// One of the idioms that fit a type.
    fn idiom(&mut self, bits: u32, writes: bool) -> Option<&'static Template> {
        let index = self.choices.pick_any(&self.idioms)?;
        let template = &TEMPLATES[index];
        let fits = (writes || !template.writes) && (bits <= MOST_BITS || !template.bits);
        fits.then_some(template)
    }

    /// An idiom as a part of an expression.
    pub(super) fn idiom_value(&mut self, mode: Mode, depth: u32) -> Option<ExprId> {
        let site = Site::new(mode.min(Mode::Reading), depth.min(OPERAND_DEPTH));
        let first = self.value(Want::Integer, site);
        let ty = self.program.type_of(first);
        let Some(Type::Int(kind)) = self.program.integer_class(ty) else { return None };
        if !self.has_kind(kind) || self.calls(first) {
            return None;
        }
        let mut filling = self.filling(kind);
        let template = self.idiom(filling.integer.bits, false)?;
        // Discharge may make something else of each copy of a guard.
        if template.fragile && self.has_guard(first) {
            return None;
        }
        filling.values[0] = Some(Hole::Expression(first));
        for index in 1..VALUES.len() {
            if template.node.any(&|node| matches!(node, Node::Value(it) if *it == index)) {
                let value = self.value(Want::Integer, Site { depth: 0, ..site });
                if self.calls(value) {
                    return None;
                }
                filling.values[index] = Some(Hole::Expression(value));
            }
        }
        Some(self.filled(&template.node, &mut filling))
    }

    fn has_guard(&self, expr: ExprId) -> bool {
        let kind = &self.program[expr].kind;
        let mut any = matches!(kind, ExprKind::Guard { .. });
        kind.for_each_operand(|operand| any = any || self.has_guard(operand));
        any
    }

    /// The filling of an idiom on a type, without its values.
    fn filling(&mut self, kind: IntKind) -> Filling {
        let mut integer =
            integer_type(&self.program, Types::int(kind)).expect("it is an integer type");
        if kind == IntKind::Bool {
            // It is computed with as a byte.
            integer.bits = 8;
        }
        let casts = self.has(Feature::Cast);
        Filling {
            kind,
            integer,
            values: [None; VALUES.len()],
            constants: [None; CONSTANTS.len()],
            narrower: None,
            wider: None,
            unsigned: casts && self.choices.chance(UNSIGNED_VIEWS),
            cut: if casts && self.choices.chance(CUT_IDIOMS) { CUT_SUMS } else { 0 },
            moved: None,
        }
    }

    /// The expression that an idiom is with its holes filled.
    fn filled(&mut self, node: &'static Node, filling: &mut Filling) -> ExprId {
        if let Some((moved, object)) = filling.moved
            && std::ptr::eq(moved, node)
        {
            return self.load(object);
        }
        match node {
            Node::Value(index) => self.filled_value(*index, filling),
            Node::Constant(_) | Node::Least | Node::Most | Node::Number(_) | Node::Folded(_) => {
                let value = self.folded(node, filling);
                self.literal(value)
            }
            Node::Unary(op, inner) => {
                let operand = self.filled(inner, filling);
                let expr = self.unary(*op, operand);
                self.guarded(expr)
            }
            Node::Binary(ops, parts) => {
                let op = self.choices.pick(ops);
                let left = self.filled(&parts[0], filling);
                let right = self.filled(&parts[1], filling);
                let expr = self.operate(op, left, right);
                let sums = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
                if sums && filling.cut > 0 && self.choices.chance(filling.cut) {
                    return self.cast(expr, Types::int(filling.kind));
                }
                expr
            }
            Node::Logical(ops, parts) => {
                let op = self.choices.pick(ops);
                let left = self.filled(&parts[0], filling);
                let right = self.filled(&parts[1], filling);
                self.logical(op, left, right)
            }
            Node::Select(parts) => {
                let [condition, then, otherwise] =
                    [0, 1, 2].map(|part| self.filled(&parts[part], filling));
                self.select(condition, then, otherwise)
            }
            Node::Cast(named, inner) => {
                let kind = self.named_kind(*named, filling);
                let operand = self.filled(inner, filling);
                self.cast(operand, Types::int(kind))
            }
            Node::Bits(name, inner) => {
                let operand = self.filled(inner, filling);
                self.bit_builtin_of(name, operand)
            }
            Node::Overflow(name, parts, target) => {
                let left = self.filled(&parts[0], filling);
                let right = self.filled(&parts[1], filling);
                let Some(Hole::Variable(object)) = filling.values[*target] else {
                    unreachable!("idioms that write are filled with variables")
                };
                let place = self.object_expr(object);
                let address = self.address(place);
                self.builtin(&format!("__builtin_{name}"), vec![left, right, address])
            }
        }
    }

    fn filled_value(&mut self, index: usize, filling: &Filling) -> ExprId {
        let value = match filling.values[index].expect("every value of the idiom is filled") {
            Hole::Variable(object) => self.load(object),
            Hole::Expression(expr) => self.copy(expr),
        };
        let unsigned = filling.kind.to_unsigned();
        if index == 0 && filling.unsigned && self.has_kind(unsigned) {
            return self.cast(value, Types::int(unsigned));
        }
        value
    }

    /// The builtin on bits for an operand of this width.
    fn bit_builtin_of(&mut self, name: &str, operand: ExprId) -> ExprId {
        let target = self.config.target;
        let ty = self.program.type_of(operand);
        let bits = integer_type(&self.program, ty).map_or(MOST_BITS, |integer| integer.bits);
        if name == "bswap" {
            let width = [16, 32].into_iter().find(|width| bits <= *width).unwrap_or(MOST_BITS);
            return self.builtin(&format!("__builtin_bswap{width}"), vec![operand]);
        }
        let kinds = [("", IntKind::UInt), ("l", IntKind::ULong)];
        let fitting = kinds.into_iter().find(|(_, kind)| bits <= target.int_bits(*kind));
        let suffix = fitting.map_or("ll", |(suffix, _)| suffix);
        self.builtin(&format!("__builtin_{name}{suffix}"), vec![operand])
    }

    /// The type that a cast names.
    fn named_kind(&mut self, named: Named, filling: &mut Filling) -> IntKind {
        let bits = |draft: &Self, kind: IntKind| draft.config.target.int_bits(kind);
        match named {
            Named::Same => filling.kind,
            Named::Unsigned => filling.kind.to_unsigned(),
            Named::Signed => filling.kind.to_signed(),
            Named::Int => IntKind::Int,
            Named::Bool => IntKind::Bool,
            Named::Narrower => *filling.narrower.get_or_insert_with(|| {
                self.kind_like(|draft, kind| bits(draft, kind) < bits(draft, filling.kind))
                    .unwrap_or(filling.kind)
            }),
            Named::Wider => *filling.wider.get_or_insert_with(|| {
                self.kind_like(|draft, kind| bits(draft, kind) > bits(draft, filling.kind))
                    .unwrap_or(filling.kind)
            }),
        }
    }

    /// The number that a constant part of an idiom is, as a value of its type.
    fn folded(&mut self, node: &Node, filling: &mut Filling) -> i128 {
        let integer = filling.integer;
        let wide = IntegerType { bits: integer.bits.min(64), ..integer };
        match node {
            Node::Number(value) => *value,
            Node::Least => wide.min(),
            Node::Most => wide.max() as i128,
            Node::Constant(index) => match filling.constants[*index] {
                Some(value) => value,
                None => {
                    let value = self.idiom_constant(CONSTANTS[*index], wide, filling);
                    filling.constants[*index] = Some(value);
                    value
                }
            },
            Node::Unary(op, inner) => {
                let value = self.folded(inner, filling);
                if *op == UnaryOp::Minus { -value } else { !value }
            }
            Node::Binary(ops, parts) => {
                let left = self.folded(&parts[0], filling);
                let right = self.folded(&parts[1], filling);
                let exact = IntegerType { signed: true, bits: 128 };
                exact.binary(ops[0], left, right).unwrap_or(left)
            }
            Node::Folded(inner) => {
                let value = self.folded(inner, filling);
                if wide.contains(value) { value } else { wide.wrap(value) }
            }
            _ => unreachable!("constants are made of constants"),
        }
    }

    /// A constant for a letter of the language.
    fn idiom_constant(&mut self, letter: u8, integer: IntegerType, filling: &Filling) -> i128 {
        let IntegerType { signed, bits } = integer;
        let last = i64::from(bits - 1);
        match letter {
            b'W' => bits.into(),
            b's' | b't' => self.choices.range(1, last).into(),
            b'K' => 1 << self.choices.range(0, last - i64::from(signed)),
            b'M' => {
                let top = last - i64::from(signed);
                let low =
                    if self.choices.chance(LOW_MASKS) { 0 } else { self.choices.range(0, top) };
                let high = self.choices.range(low, top);
                integer.wrap((2 << high) - (1 << low))
            }
            b'd' => {
                let any = self.choices.chance(ANY_DIVISORS);
                let value = match any {
                    true => self.border_constant(integer, filling),
                    false => self.choices.pick(&DIVISORS),
                };
                let value = if value == 0 || !integer.contains(value) { 3 } else { value };
                let negative = signed && !any && self.choices.chance(NEGATIVE_DIVISORS);
                if negative { -value } else { value }
            }
            b'o' => self.border_constant(integer, filling) | 1,
            _ => self.border_constant(integer, filling),
        }
    }

    /// A constant where something changes: near a limit, near a power of two, near zero, or
    /// near another constant of the idiom.
    fn border_constant(&mut self, integer: IntegerType, filling: &Filling) -> i128 {
        let near = i128::from(self.choices.range(-CLOSE, CLOSE));
        let earlier: Vec<i128> = filling.constants.iter().copied().flatten().collect();
        if !earlier.is_empty() && self.choices.chance(CLOSE_CONSTANTS) {
            let value = self.choices.pick(&earlier);
            return integer.wrap(self.choices.pick(&[value, value, -value, !value]) + near);
        }
        let power = 1 << self.choices.range(0, i64::from(integer.bits) - 1);
        let value = match self.choices.index(5) {
            0 => integer.max() as i128 + near,
            1 => integer.min() + near,
            2 => power + near,
            3 => self.choices.range(-SMALL, SMALL).into(),
            _ => near,
        };
        integer.wrap(value)
    }
}

#[cfg(test)]
mod tests;
