//! The compact form in which functions run: operations on registers.
//!
//! A function has registers for its parameters, for the locals that never have
//! their address taken, and for temporaries. All other locals are in memory. Every
//! operation knows the expression it came from, for messages alone.

use std::cell::Cell;

use farrier_lang::{BinaryOp, ExprId, FunctionId, ObjectId, StmtId, TypeId};
use rustc_hash::FxHashMap;

use crate::aliasing::Allowed;
use crate::kinds::{Cause, UbKind};
use crate::library::Library;
use crate::paths::PathId;
use crate::value::{Scalar, Value};
use crate::verdict::At;

/// A register of the current function.
pub(crate) type Reg = u32;

/// A position in the operations of a function.
pub(crate) type Position = u32;

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Constant {
        dst: Reg,
        low: u64,
    },
    WideConstant {
        dst: Reg,
        index: u32,
    },
    Copy {
        dst: Reg,
        src: Reg,
    },
    /// The local has no value (again).
    Forget {
        dst: Reg,
    },
    /// Using a local that has no value is undefined.
    CheckInitialised {
        src: Reg,
    },
    /// The value of a pointer is about to be used: its object must not be gone.
    CheckAlive {
        src: Reg,
    },
    /// A character is passed or returned: it must have a value, which to be copied it need
    /// not.
    CheckByte {
        src: Reg,
    },
    Negate {
        ty: Scalar,
        dst: Reg,
        src: Reg,
    },
    Complement {
        ty: Scalar,
        dst: Reg,
        src: Reg,
    },
    /// `!`
    Not {
        ty: Scalar,
        dst: Reg,
        src: Reg,
    },
    Binary {
        op: BinaryOp,
        ty: Scalar,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    /// The count has a type of its own.
    Shift {
        op: BinaryOp,
        ty: Scalar,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    /// The right operand is a constant, without an address.
    BinaryConstant {
        op: BinaryOp,
        ty: Scalar,
        dst: Reg,
        left: Reg,
        right: u64,
    },
    ShiftConstant {
        op: BinaryOp,
        ty: Scalar,
        dst: Reg,
        left: Reg,
        right: u64,
    },
    Convert {
        from: Scalar,
        to: Scalar,
        dst: Reg,
        src: Reg,
    },
    Jump {
        to: Position,
    },
    JumpIfZero {
        ty: Scalar,
        src: Reg,
        to: Position,
    },
    JumpIfNotZero {
        ty: Scalar,
        src: Reg,
        to: Position,
    },
    /// An `if` that may be turned around is met, and its condition is as `met` says; a jump if it
    /// is turned around.
    Turn {
        stmt: u32,
        met: bool,
        /// For which truth it is turned around.
        when: bool,
        to: Position,
    },
    Switch {
        src: Reg,
        table: u32,
    },
    JumpToLabel {
        src: Reg,
        table: u32,
    },
    LabelAddress {
        dst: Reg,
        label: u32,
    },
    /// The address of an object that lives as long as the program.
    StaticAddress {
        dst: Reg,
        slot: u32,
        offset: u32,
    },
    LocalAddress {
        dst: Reg,
        local: u32,
        offset: u32,
    },
    LoadStatic {
        ty: Scalar,
        dst: Reg,
        slot: u32,
        offset: u32,
    },
    StoreStatic {
        ty: Scalar,
        src: Reg,
        slot: u32,
        offset: u32,
    },
    LoadLocal {
        ty: Scalar,
        dst: Reg,
        local: u32,
        offset: u32,
    },
    StoreLocal {
        ty: Scalar,
        src: Reg,
        local: u32,
        offset: u32,
    },
    Load {
        ty: Scalar,
        dst: Reg,
        pointer: Reg,
        access: u32,
    },
    Store {
        ty: Scalar,
        src: Reg,
        pointer: Reg,
        access: u32,
    },
    LoadBits {
        dst: Reg,
        pointer: Reg,
        field: u32,
    },
    StoreBits {
        src: Reg,
        pointer: Reg,
        field: u32,
    },
    /// What a bit-field holds after a value was stored in it.
    CutBits {
        dst: Reg,
        src: Reg,
        field: u32,
    },
    /// A pointer moved into a member, which is inside its object, together with the first
    /// `size` bytes of its record.
    Member {
        dst: Reg,
        pointer: Reg,
        offset: u32,
        size: u32,
    },
    /// A pointer moved by elements.
    Element {
        dst: Reg,
        pointer: Reg,
        index: Reg,
        element: u32,
    },
    /// `left - right` in elements.
    Difference {
        dst: Reg,
        left: Reg,
        right: Reg,
        element: u32,
    },
    ComparePointers {
        op: BinaryOp,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    /// The address of a local of a function so many levels around this one.
    OuterAddress {
        dst: Reg,
        local: u32,
        levels: u32,
    },
    /// The address of a function inside another.
    NestedAddress {
        dst: Reg,
        function: FunctionId,
    },
    /// A jump to a label of a function so many levels around this one.
    JumpOut {
        label: u32,
        levels: u32,
    },
    /// The bytes of an aggregate.
    CopyBytes {
        to: Reg,
        from: Reg,
        size: u32,
    },
    /// Some bytes of what a pointer points to have no value any more.
    ForgetBytes {
        pointer: Reg,
        first: u32,
        end: u32,
    },
    /// The padding of an object that was assigned as a whole has no value.
    BlurPadding {
        pointer: Reg,
        padding: u32,
    },
    /// The same for memory without a declared type, where a structure with this padding is.
    BlurUndeclared {
        pointer: Reg,
        padding: u32,
    },
    Zero {
        pointer: Reg,
        size: u32,
    },
    /// The length of a variable array, which must be positive.
    Length {
        dst: Reg,
        src: Reg,
        signed: bool,
    },
    /// The size of so many elements.
    VariableSize {
        dst: Reg,
        length: Reg,
        element: Reg,
    },
    /// The length of an array is in a register: an index must fit it.
    CheckIndex {
        index: Reg,
        length: Reg,
        element: u32,
    },
    /// The lengths of arrays that arguments point to, for the function that is called next.
    PassLengths {
        table: u32,
    },
    /// The length of an array that a parameter points to, and that of the argument.
    CheckPassedLength {
        passed: Passed,
    },
    /// A pointer becomes one to a type of this alignment.
    CheckAligned {
        src: Reg,
        align: u32,
    },
    /// The lengths of two array types that must be compatible.
    CheckLengths {
        left: Reg,
        right: Reg,
    },
    /// A pointer moved by elements whose size is in a register.
    ElementVariable {
        dst: Reg,
        pointer: Reg,
        index: Reg,
        element: u32,
        size: Reg,
    },
    DifferenceVariable {
        dst: Reg,
        left: Reg,
        right: Reg,
        size: Reg,
    },
    ZeroVariable {
        pointer: Reg,
        size: Reg,
    },
    /// The lifetime of a variable array begins.
    EnterVariable {
        local: u32,
        size: Reg,
    },
    /// The lifetime of a local in memory begins, or begins again.
    Enter {
        local: u32,
    },
    /// A compound literal is evaluated, which is one object while its block runs, C11
    /// 6.5.2.5p5. An aggregate loses the value that it had.
    EnterLiteral {
        local: u32,
        aggregate: bool,
    },
    Leave {
        local: u32,
    },
    /// The local is const and has its value now.
    Freeze {
        local: u32,
    },
    /// The local has no value (again).
    ForgetMemory {
        local: u32,
    },
    Call {
        site: u32,
        args: Reg,
    },
    CallPointer {
        site: u32,
        args: Reg,
        pointer: Reg,
    },
    CallLibrary {
        site: u32,
        args: Reg,
    },
    Return {
        src: Reg,
    },
    ReturnNothing,
    /// The end of a function that should have returned a value.
    ReturnMissing,
    VaStart {
        list: Reg,
    },
    VaArg {
        dst: Reg,
        list: Reg,
        access: u32,
    },
    VaCopy {
        to: Reg,
        from: Reg,
    },
    VaEnd {
        list: Reg,
    },
    /// Something volatile was accessed.
    TraceVolatile {
        ty: Scalar,
        pointer: Reg,
        value: Reg,
        write: bool,
    },
    /// The operands of an expression begin whose order could matter; see `order`.
    OrderBegin {
        level: u32,
    },
    /// The same for operands in an unknown order, as if each were a call.
    OrderBeginIndeterminate {
        level: u32,
    },
    OrderNext {
        level: u32,
    },
    OrderClose {
        level: u32,
    },
    OrderEndOperands {
        level: u32,
    },
    OrderCheckStore {
        level: u32,
    },
    OrderEnd {
        level: u32,
    },
    /// A local in a register is read or written.
    OrderTouch {
        reg: Reg,
        write: bool,
    },
    /// Nothing is recorded until it is resumed.
    OrderPause,
    OrderResume,
    /// Bytes are read or written that no operation accesses here.
    OrderTouchBytes {
        pointer: Reg,
        size: u32,
        write: bool,
    },
    /// An aggregate is about to be accessed as a whole through a pointer.
    CheckObject {
        pointer: Reg,
        access: u32,
        size: u32,
    },
    /// An aggregate was stored as a whole through a pointer.
    NoteObject {
        pointer: Reg,
        access: u32,
    },
    /// A shift count of 128 bits as one of 64: what does not fit is as much too large
    /// or too small as 64 bits can say.
    WideCount {
        dst: Reg,
        src: Reg,
        signed: bool,
    },
    /// A value that compilers compute in a width of their own must fit that.
    CheckWidth {
        src: Reg,
        signed: bool,
        bits: u8,
        wide: bool,
    },
    CheckCount {
        src: Reg,
        bits: u8,
    },
    /// The restricted pointer in `src` has its first value; `local` is its marker.
    RestrictBegin {
        local: u32,
        src: Reg,
        block: u32,
    },
    /// The time on the clock of allocations: what is allocated from here on is not older.
    Now {
        dst: Reg,
    },
    /// The function has no effect from here on but on what is younger than `since`, and, if
    /// it is `constant`, reads nothing older that can change.
    Promise {
        constant: bool,
        since: Reg,
    },
    CheckPromise {
        promise: u32,
        src: Reg,
    },
    /// A loop of which something is promised begins; a row of `rounds`.
    RoundsBegin {
        row: u32,
    },
    /// Its next round begins, before the condition.
    RoundsNext,
    /// The value of a signed sum of the loop.
    RoundsSum {
        src: Reg,
        which: u32,
        bits: u8,
    },
    RoundsEnd,
    /// A restricted pointer is read.
    RestrictLoad {
        dst: Reg,
        src: Reg,
        local: u32,
    },
    /// A restricted pointer was assigned a value.
    RestrictAssign {
        src: Reg,
        local: u32,
    },
    /// The same for a restricted pointer at file scope, which is its own marker.
    RestrictLoadStatic {
        dst: Reg,
        slot: u32,
    },
    RestrictAssignStatic {
        src: Reg,
        slot: u32,
    },
    /// A pointer to a member or row of so many bytes, or some bytes behind its start.
    Narrow {
        dst: Reg,
        pointer: Reg,
        back: u32,
        size: u32,
    },
    /// The same, where the numbers are in registers.
    NarrowVariable {
        dst: Reg,
        pointer: Reg,
        back: Reg,
        size: Reg,
    },
    /// A pointer to the whole object, unless its member or row is made of such elements.
    Widen {
        dst: Reg,
        pointer: Reg,
        element: u32,
    },
    /// A pointer becomes an integer.
    RestrictReveal {
        dst: Reg,
        src: Reg,
    },
    /// What the program does here is undefined; the message is a feature.
    Undefined {
        kind: UbKind,
        message: u32,
    },
    /// What happens here is a choice of the implementation; the message is a feature.
    Unspecified {
        cause: Cause,
        message: u32,
    },
    /// An index that is out of bounds becomes the fallback.
    GuardIndex {
        dst: Reg,
        src: Reg,
        guard: u32,
    },
    /// Whether a floating operation is exact.
    CheckExact {
        dst: Reg,
        exact: u32,
    },
    /// Notes for the profile whether a floating operation is exact and its operands finite.
    NoteExact {
        exact: u32,
    },
    /// Notes for the profile that something is not exact.
    NoteInexact,
    /// So many operations before this one would not be there if nothing were watched.
    Refund {
        operations: u32,
    },
    /// A null pointer becomes the fallback.
    GuardPointer {
        dst: Reg,
        src: Reg,
        guard: u32,
    },
    /// What an expression has as its value, for the profile.
    SeeValue {
        expr: u32,
        ty: Option<Scalar>,
        src: Reg,
    },
    /// A statement begins, for the profile.
    SeeStmt {
        stmt: u32,
    },
    /// A statement begins at which the values of objects are kept for the profile.
    SeeObjects {
        sighting: u32,
    },
    Unsupported {
        feature: u32,
    },
}

/// An access to memory through a pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// The type of the lvalue.
    pub(crate) ty: TypeId,
    /// The alignment that the pointer must have.
    pub(crate) align: u32,
    pub(crate) volatile: bool,
    /// How the lvalue reaches what it accesses.
    pub(crate) path: PathId,
}

/// A promise to the compiler about an argument or the result of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Promise {
    /// The argument with this number is not null.
    Argument(u32),
    /// No argument without a parameter is a null pointer.
    Arguments,
    /// The argument points to so many bytes.
    Bytes(u64),
    /// The result is not null.
    Result,
    /// The result is memory that was allocated since then.
    New { since: Reg },
    /// The result has so many bytes, or so many elements of a size.
    Size { count: Reg, size: Option<Reg> },
    /// The result is so many bytes after a multiple of the alignment.
    Aligned { align: Reg, offset: u32 },
}

/// A guard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    /// The expression, if the profile is of it.
    pub(crate) watched: Option<ExprId>,
    /// The value when the check fails; without one, the guarded value itself.
    pub(crate) fallback: Option<Reg>,
    /// Of an index: how many elements there are, and whether it has a sign.
    pub(crate) bound: u64,
    pub(crate) signed: bool,
}

/// A floating operation that may have to be exact: an operator, or a conversion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    pub(crate) op: Option<BinaryOp>,
    pub(crate) from: Scalar,
    pub(crate) to: Scalar,
    pub(crate) left: Reg,
    /// The same as `left` if there is one operand.
    pub(crate) right: Reg,
    /// The right operand, if it is a constant.
    pub(crate) constant: Option<u64>,
    /// The expression, if the profile is of it.
    pub(crate) watched: Option<ExprId>,
}

/// Where the values are that the profile keeps when a statement begins.
#[derive(Clone, Debug)]
pub(crate) struct Sighting {
    pub(crate) statement: StmtId,
    pub(crate) objects: Box<[Whereabouts]>,
    /// How many different tuples are kept.
    pub(crate) most: usize,
    /// For how many visits relations are kept.
    pub(crate) related: u64,
}

/// Where the value of an object is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whereabouts {
    Register(Scalar, Reg),
    /// In the memory of a local, behind so many bytes.
    Local(Scalar, u32, u64),
    /// In an object that lives as long as the program, behind so many bytes.
    Static(Scalar, u32, u64),
    /// It has none here.
    Nowhere,
}

/// How an index moves a pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    /// Bytes of one element.
    pub(crate) size: u64,
    /// The number of elements, if the array is known.
    pub(crate) bound: Option<u64>,
    /// Whether the element is accessed, so that one past the end is too far.
    pub(crate) accessed: bool,
    /// Whether the pointer moves backwards.
    pub(crate) negative: bool,
    /// Whether the index has a sign.
    pub(crate) signed: bool,
}

/// A bit-field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitField {
    /// The first bit, counted from where the pointer points.
    pub(crate) offset: u32,
    pub(crate) width: u32,
    pub(crate) signed: bool,
    /// Whether its declared type is wider than 64 bits.
    pub(crate) wide: bool,
    /// How it is accessed, if that is through a pointer.
    pub(crate) access: Option<u32>,
}

/// The cases of a switch, by value of the promoted type.
#[derive(Clone, Debug, Default)]
pub(crate) struct SwitchTable {
    pub(crate) exact: FxHashMap<i128, Position>,
    pub(crate) ranges: Vec<(i128, i128, Position)>,
    pub(crate) default: Position,
    pub(crate) wide: bool,
    pub(crate) signed: bool,
}

impl SwitchTable {
    /// Where a value leads.
    #[inline]
    pub(crate) fn position(&self, value: Value) -> Position {
        let number = match (self.wide, self.signed) {
            (true, _) => value.bits() as i128,
            (false, true) => i128::from(value.low as i64),
            (false, false) => i128::from(value.low),
        };
        if let Some(position) = self.exact.get(&number) {
            return *position;
        }
        let range = self.ranges.iter().find(|(low, high, _)| (*low..=*high).contains(&number));
        range.map_or(self.default, |(_, _, position)| *position)
    }
}

/// Where the value of a call goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CallResult {
    /// It is unused.
    Nowhere,
    Register(Reg),
    /// An aggregate, into the memory of this local of the caller.
    Memory {
        local: u32,
        dst: Reg,
    },
}

/// One call in the text of a program.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) callee: Callee,
    pub(crate) result: CallResult,
    /// The types of the arguments, after conversion.
    pub(crate) arguments: Box<[TypeId]>,
    /// The type through which the function is called.
    pub(crate) ty: Option<TypeId>,
    /// The type of the result.
    pub(crate) result_type: TypeId,
    /// Whether the function is called by its name, through its own type and with one
    /// argument for each parameter, so that nothing is left to be checked.
    pub(crate) fits: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee {
    Function(FunctionId),
    Pointer,
    Library(Library),
}

/// A local in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub(crate) object: Option<ObjectId>,
    pub(crate) at: At,
    pub(crate) size: u64,
    pub(crate) align: u32,
    pub(crate) ty: TypeId,
    pub(crate) constant: bool,
    /// A variable array: its size is known when its declaration is reached.
    pub(crate) variable: bool,
    /// The block that it belongs to.
    pub(crate) block: u32,
}

impl Local {
    /// One of no size that is not constant, in no block yet.
    pub(crate) fn new(object: Option<ObjectId>, at: At, ty: TypeId) -> Self {
        let (constant, variable) = (false, false);
        Self { object, at, size: 0, align: 1, ty, constant, variable, block: 0 }
    }
}

/// Where a jump out of a function inside goes.
#[derive(Clone, Debug)]
pub(crate) struct Landing {
    pub(crate) position: Position,
    /// The blocks around the label, and their locals that are declared before it.
    pub(crate) blocks: Box<[u32]>,
    pub(crate) locals: Box<[u32]>,
}

/// A loop with a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    pub(crate) statement: StmtId,
    /// Its operations.
    pub(crate) start: Position,
    pub(crate) end: Position,
    /// The jump that its condition decides.
    pub(crate) condition: Position,
}

/// The length of an array that an argument or a parameter points to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) argument: u32,
    /// Which of the arrays in the type, from the outermost.
    pub(crate) level: u32,
    pub(crate) reg: Reg,
}

/// A function, ready to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    /// Where each operation came from.
    pub(crate) at: Vec<At>,
    pub(crate) registers: u32,
    pub(crate) parameters: u32,
    pub(crate) locals: Vec<Local>,
    pub(crate) sites: Vec<CallSite>,
    /// The lengths of arrays that are passed with arguments.
    pub(crate) passed: Vec<Vec<Passed>>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) switches: Vec<SwitchTable>,
    pub(crate) label_tables: Vec<Vec<(u32, Position)>>,
    /// The labels, for functions inside this one.
    pub(crate) landings: FxHashMap<u32, Landing>,
    /// Whether the function is inside another.
    pub(crate) nested: bool,
    pub(crate) elements: Vec<Element>,
    pub(crate) fields: Vec<BitField>,
    pub(crate) wide: Vec<u128>,
    pub(crate) accesses: Vec<Access>,
    /// For each of them, what it was allowed last.
    pub(crate) allowed: Vec<Cell<Allowed>>,
    /// What is not supported, and messages.
    pub(crate) features: Vec<String>,
    /// The locals in registers, for a collecting run alone; several may share a register.
    pub(crate) named: Vec<(Reg, ObjectId)>,
    /// The guards of operations, by position, and the others.
    pub(crate) guarded: FxHashMap<Position, Guard>,
    pub(crate) guards: Vec<Guard>,
    pub(crate) exacts: Vec<Exact>,
    pub(crate) sightings: Vec<Sighting>,
    pub(crate) promises: Vec<Promise>,
    pub(crate) rounds: Vec<crate::rounds::RoundsRow>,
}
