//! What is checked of floating numbers: their bits in the checksum, and in assertions whether they
//! are what they must be.

use farrier_lang::build::Builder;
use farrier_lang::builtins::Builtin;
use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, ExprKind, FunctionId, IntKind, Linkage, LogicalOp, RecordKind,
    Stmt, Storage, Type, TypeId, Types, UnaryOp, copy,
};

use super::{BITS, suffix};
use crate::generate::draft::Draft;
use crate::generate::finish::PRIME;

/// The parts that hold the bits of a number: of how many bytes each is, and how many there are. Of
/// the 12 or 16 bytes of the x87 format ten have a value.
fn parts(format: FloatFormat) -> (u64, u64) {
    match format {
        FloatFormat::Half => (2, 1),
        FloatFormat::Single => (4, 1),
        FloatFormat::Double => (8, 1),
        FloatFormat::X87 => (2, 5),
        FloatFormat::Quad => (8, 2),
    }
}

/// A condition that holds unless a number is the expected one. `signs` says whether the compiler
/// has a builtin for the sign of a zero.
pub(in crate::generate) fn differs(
    builder: &mut Builder<'_>,
    actual: ExprId,
    expected: FloatValue,
    signs: bool,
) -> ExprId {
    const TYPED: &str = "both are floating";
    let ty = builder.program.type_of(actual).unqualified();
    let again = |builder: &mut Builder<'_>| copy::expr(builder.program, actual);
    if expected.is_nan() {
        let again = again(builder);
        return builder.binary(BinaryOp::Equal, actual, again).expect(TYPED);
    }
    let FloatValue { format, .. } = expected;
    if !expected.is_finite() {
        let (op, limit) = match expected.is_negative() {
            false => (BinaryOp::Greater, FloatValue::largest(format)),
            true => (BinaryOp::Less, FloatValue::largest(format).negate()),
        };
        let limit = builder.program.floating(limit, ty).expect("it is finite");
        let beyond = builder.binary(op, actual, limit).expect(TYPED);
        return builder.unary(UnaryOp::Not, beyond).expect("a comparison is a number");
    }
    let zero = expected.is_zero();
    let constant = if zero { FloatValue::zero(format) } else { expected };
    let constant = builder.program.floating(constant, ty).expect("it is finite");
    let differs = builder.binary(BinaryOp::NotEqual, actual, constant).expect(TYPED);
    if !zero || !signs {
        return differs;
    }
    let again = again(builder);
    let builtin = Builtin::by_name("__builtin_signbit").expect("the table has it");
    let mut wrong = builder.node(ExprKind::Builtin(builtin, [again].into()), Types::INT);
    if expected.is_negative() {
        wrong = builder.unary(UnaryOp::Not, wrong).expect("it is an integer");
    }
    builder.logical(LogicalOp::Or, differs, wrong).expect("both are integers")
}

impl Draft<'_> {
    /// A call of the function that gives the bits of a value.
    pub(in crate::generate) fn float_bits(&mut self, value: ExprId) -> ExprId {
        let function = self.bits_function(self.program.type_of(value));
        let designator = self.function_expr(function);
        self.call_of(designator, vec![value])
    }

    /// The unsigned type of so many bytes.
    fn unsigned_of(&self, bytes: u64) -> TypeId {
        let kinds = [IntKind::UShort, IntKind::UInt, IntKind::ULong, IntKind::ULongLong];
        let fits = |kind: &IntKind| u64::from(self.config.target.int_bits(*kind)) == bytes * 8;
        Types::int(kinds.into_iter().find(fits).expect("targets have all of these sizes"))
    }

    /// The function that gives the bits of a floating number, mixed if 64 are too few. They are
    /// zero for every NaN: its sign and its payload are open.
    ///
    /// `static unsigned long long bitsl(long double value) {
    ///     union Bitsl both; both.value = value;
    ///     return value == value ? both.parts[0] * PRIME ^ both.parts[1] : 0;
    /// }`
    fn bits_function(&mut self, ty: TypeId) -> FunctionId {
        let Type::Float(kind) = *self.program.resolve(ty) else { unreachable!("it is floating") };
        if let Some((_, function)) = self.bits.iter().find(|(other, _)| *other == kind) {
            return *function;
        }
        let (ty, wide) = (Types::float(kind), Types::int(IntKind::ULongLong));
        let (_, format) = self.config.target.float_scalar(kind).expect("the target has it");
        let (bytes, count) = parts(format);
        let part = self.unsigned_of(bytes);
        let array = self.program.types.array_of(part, ArrayLength::Fixed(count));
        let mut field = |name: &str, ty| {
            let name = self.program.names.intern(name);
            let mut field = self.field(ty, None, false);
            field.name = Some(name);
            field
        };
        let fields = [field("value", ty), field("parts", array)];
        let tag = self.program.names.intern(&format!("Bits{}", suffix(kind)));
        let union = self.define_record(RecordKind::Union, tag, fields.into(), false);
        let value = self.named("value", ty, Linkage::None, Storage::Automatic);
        let both = self.named("both", union, Linkage::None, Storage::Automatic);
        let declare = self.stmt(Stmt::Declare(both));
        let place = self.object_expr(both);
        let number = self.builder().member(place, 0);
        let load = self.load(value);
        let assign = self.assign(number, load);
        let assign = self.stmt(Stmt::Expr(assign));
        let mut mixed = None;
        for index in 0..count {
            let place = self.object_expr(both);
            let array = self.builder().member(place, 1);
            let index = self.builder().int(IntKind::Int, index);
            let part = self.element(array, index);
            let part = self.builder().value(part);
            let part = self.builder().convert(part, wide);
            mixed = Some(match mixed {
                None => part,
                Some(mixed) => {
                    let prime = self.builder().int(IntKind::ULongLong, PRIME);
                    let moved = self.binary(BinaryOp::Mul, mixed, prime);
                    self.binary(BinaryOp::BitXor, moved, part)
                }
            });
        }
        let (left, right) = (self.load(value), self.load(value));
        let is_number = self.binary(BinaryOp::Equal, left, right);
        let zero = self.builder().int(IntKind::ULongLong, 0);
        let result = self.select(is_number, mixed.expect("there is a part"), zero);
        let result = self.stmt(Stmt::Return(Some(result)));
        let body = self.block_of(vec![declare, assign, result]);
        let name = self.program.names.intern(&format!("{BITS}{}", suffix(kind)));
        let function = self.define(name, wide, &[value], Linkage::Internal, body);
        self.bits.push((kind, function));
        function
    }
}
