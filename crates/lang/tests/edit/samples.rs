//! A program made by hand:
//!
//! ```c
//! struct pair { int first; int second[3]; };
//! int counter = 5;
//! static int table[3] = {1, 2, 3};
//! static struct pair both = {.second = {7}};
//! static int add(int left, int right) { return left + right; }
//! int main(void) {
//!   int total = 0;
//!   for (int i = 0; i < 3; i++) {
//!     total = add(total, table[i]);
//!     if (total > 100) break;
//!   }
//! again:
//!   both.first = total;
//!   if (counter) { counter--; goto again; }
//!   return total;
//! }
//! ```

use farrier_lang::edit::{Change, Edit, Fresh};
use farrier_lang::*;

/// The program and the nodes that tests name.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) program: Program,
    pub(crate) pair: RecordId,
    pub(crate) counter: ObjectId,
    pub(crate) table: ObjectId,
    pub(crate) total: ObjectId,
    pub(crate) add: FunctionId,
    pub(crate) main: FunctionId,
    pub(crate) again: LabelId,
    /// `total = add(total, table[i]);`
    pub(crate) accumulate: StmtId,
    /// `add(total, table[i])`
    pub(crate) call: ExprId,
    /// `if (total > 100) break;`
    pub(crate) leave: StmtId,
    /// `total > 100`
    pub(crate) is_big: ExprId,
    /// `for (...) ...`
    pub(crate) round: StmtId,
    /// The body of the loop.
    pub(crate) round_body: StmtId,
    /// `if (counter) ...`
    pub(crate) repeat: StmtId,
    /// `return total;`
    pub(crate) result: StmtId,
    /// `left + right`
    pub(crate) sum: ExprId,
}

/// Makes nodes of one program.
pub(crate) struct Maker {
    pub(crate) program: Program,
}

impl Maker {
    pub(crate) fn name(&mut self, text: &str) -> Symbol {
        self.program.names.intern(text)
    }

    pub(crate) fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.program.exprs.push(Expr { kind, ty })
    }

    pub(crate) fn stmt(&mut self, stmt: Stmt) -> StmtId {
        self.program.stmts.push(stmt)
    }

    pub(crate) fn int(&mut self, value: u64) -> ExprId {
        self.expr(ExprKind::Int(value), Types::INT)
    }

    pub(crate) fn lvalue(&mut self, object: ObjectId) -> ExprId {
        let ty = self.program[object].ty;
        self.expr(ExprKind::Object(object), ty)
    }

    pub(crate) fn load(&mut self, object: ObjectId) -> ExprId {
        let lvalue = self.lvalue(object);
        let ty = self.program[object].ty.unqualified();
        self.expr(ExprKind::Load(lvalue), ty)
    }

    pub(crate) fn object(&mut self, name: &str, ty: TypeId, init: Option<ExprId>) -> ObjectId {
        let name = Some(self.name(name));
        self.program.objects.push(Object {
            name,
            ty,
            linkage: Linkage::None,
            storage: Storage::Automatic,
            init,
            align: None,
            asm_name: None,
            attributes: [].into(),
        })
    }

    pub(crate) fn global(&mut self, name: &str, ty: TypeId, init: ExprId) -> ObjectId {
        let object = self.object(name, ty, Some(init));
        self.program[object].linkage = Linkage::External;
        self.program[object].storage = Storage::Static;
        self.program.items.push(Item::Define(Entity::Object(object)));
        object
    }

    pub(crate) fn function(&mut self, name: &str, parameters: &[ObjectId]) -> FunctionId {
        let name = self.name(name);
        let types = parameters.iter().map(|&object| self.program[object].ty).collect();
        let ty = self.program.types.function(FunctionType {
            result: Types::INT,
            parameters: types,
            variadic: false,
            prototyped: true,
        });
        self.program.functions.push(Function {
            name,
            ty,
            linkage: Linkage::External,
            specifiers: FunctionSpecifiers::default(),
            parameters: parameters.into(),
            body: None,
            old_style: false,
            asm_name: None,
            attributes: [].into(),
        })
    }

    pub(crate) fn list(&mut self, ty: TypeId, items: &[(InitPlace, ExprId)]) -> ExprId {
        let items = items.iter().map(|&(place, value)| InitItem { place, value }).collect();
        self.expr(ExprKind::InitList(items), ty)
    }

    pub(crate) fn call(&mut self, function: FunctionId, arguments: &[ExprId]) -> ExprId {
        let ty = self.program[function].ty;
        let pointer = self.program.types.pointer_to(ty);
        let designator = self.expr(ExprKind::Function(function), ty);
        let callee = self.expr(ExprKind::Decay(designator), pointer);
        self.expr(ExprKind::Call(callee, arguments.into()), Types::INT)
    }
}

/// One element of an array.
pub(crate) fn element(index: u64) -> InitPlace {
    InitPlace::Elements { first: index, last: index }
}

/// The sample. With `noise`, the arenas hold other nodes too, so no id is the same.
#[expect(clippy::too_many_lines, reason = "one program with everything in it")]
pub(crate) fn sample(noise: bool) -> Sample {
    let mut make = Maker { program: Program::new(&target::X86_64_LINUX, Dialect::C17) };
    if noise {
        let garbage = make.int(99);
        let object = make.object("garbage", Types::DOUBLE, Some(garbage));
        make.function("nothing", &[object]);
        make.stmt(Stmt::Expr(garbage));
        make.program.types.pointer_to(Types::DOUBLE);
        let name = make.name("noise");
        make.program.labels.push(Label { name, local: false });
        make.program.records.push(Record {
            kind: RecordKind::Union,
            tag: Some(name),
            fields: None,
            packed: false,
            pack: None,
            align: None,
            may_alias: false,
            attributes: [].into(),
        });
    }
    let three_ints = make.program.types.array_of(Types::INT, ArrayLength::Fixed(3));
    let int_pointer = make.program.types.pointer_to(Types::INT);

    let field = |name, ty| Field {
        name: Some(name),
        ty,
        bits: None,
        packed: false,
        align: None,
        attributes: [].into(),
    };
    let (tag, first, second) = (make.name("pair"), make.name("first"), make.name("second"));
    let pair = make.program.records.push(Record {
        kind: RecordKind::Struct,
        tag: Some(tag),
        fields: Some([field(first, Types::INT), field(second, three_ints)].into()),
        packed: false,
        pack: None,
        align: None,
        may_alias: false,
        attributes: [].into(),
    });
    let pair_type = make.program.types.intern(Type::Record(pair));
    make.program.items.push(Item::Define(Entity::Record(pair)));

    let five = make.int(5);
    let counter = make.global("counter", Types::INT, five);
    let (one, two, three) = (make.int(1), make.int(2), make.int(3));
    let values =
        make.list(three_ints, &[(element(0), one), (element(1), two), (element(2), three)]);
    let table = make.global("table", three_ints, values);
    make.program[table].linkage = Linkage::Internal;
    let seven = make.int(7);
    let inner = make.list(three_ints, &[(element(0), seven)]);
    let outer = make.list(pair_type, &[(InitPlace::Field(1), inner)]);
    let both = make.global("both", pair_type, outer);

    let left = make.object("left", Types::INT, None);
    let right = make.object("right", Types::INT, None);
    let add = make.function("add", &[left, right]);
    let (l, r) = (make.load(left), make.load(right));
    let sum = make.expr(ExprKind::Binary(BinaryOp::Add, l, r), Types::INT);
    let give = make.stmt(Stmt::Return(Some(sum)));
    let body = make.stmt(Stmt::Block([give].into()));
    make.program[add].body = Some(body);
    make.program.items.push(Item::Define(Entity::Function(add)));

    let zero = make.int(0);
    let total = make.object("total", Types::INT, Some(zero));
    let declare_total = make.stmt(Stmt::Declare(total));

    let zero = make.int(0);
    let i = make.object("i", Types::INT, Some(zero));
    let declare_i = make.stmt(Stmt::Declare(i));
    let (value, three) = (make.load(i), make.int(3));
    let condition = make.expr(ExprKind::Binary(BinaryOp::Less, value, three), Types::INT);
    let value = make.lvalue(i);
    let step = make.expr(ExprKind::Step(StepOp::PostIncrement, value), Types::INT);
    let array = make.lvalue(table);
    let base = make.expr(ExprKind::Decay(array), int_pointer);
    let index = make.load(i);
    let at = make.expr(ExprKind::Index(base, index), Types::INT);
    let (old, new) = (make.load(total), make.expr(ExprKind::Load(at), Types::INT));
    let call = make.call(add, &[old, new]);
    let target = make.lvalue(total);
    let assign = make.expr(ExprKind::Assign(target, call), Types::INT);
    let accumulate = make.stmt(Stmt::Expr(assign));
    let (value, hundred) = (make.load(total), make.int(100));
    let is_big = make.expr(ExprKind::Binary(BinaryOp::Greater, value, hundred), Types::INT);
    let stop = make.stmt(Stmt::Break);
    let leave = make.stmt(Stmt::If { condition: is_big, then: stop, otherwise: None });
    let round_body = make.stmt(Stmt::Block([accumulate, leave].into()));
    let round = make.stmt(Stmt::For {
        init: [declare_i].into(),
        condition: Some(condition),
        step: Some(step),
        body: round_body,
    });

    let name = make.name("again");
    let again = make.program.labels.push(Label { name, local: false });
    let record = make.lvalue(both);
    let member = make.expr(ExprKind::Member(record, 0), Types::INT);
    let value = make.load(total);
    let assign = make.expr(ExprKind::Assign(member, value), Types::INT);
    let keep = make.stmt(Stmt::Expr(assign));
    let labelled = make.stmt(Stmt::Label(again, keep));
    let value = make.lvalue(counter);
    let decrement = make.expr(ExprKind::Step(StepOp::PostDecrement, value), Types::INT);
    let decrement = make.stmt(Stmt::Expr(decrement));
    let goto = make.stmt(Stmt::Goto(again));
    let then = make.stmt(Stmt::Block([decrement, goto].into()));
    let condition = make.load(counter);
    let repeat = make.stmt(Stmt::If { condition, then, otherwise: None });
    let value = make.load(total);
    let result = make.stmt(Stmt::Return(Some(value)));
    let body = make.stmt(Stmt::Block([declare_total, round, labelled, repeat, result].into()));
    let main = make.function("main", &[]);
    make.program[main].body = Some(body);
    make.program.items.push(Item::Define(Entity::Function(main)));

    Sample {
        program: make.program,
        pair,
        counter,
        table,
        total,
        add,
        main,
        again,
        accumulate,
        call,
        leave,
        is_big,
        round,
        round_body,
        repeat,
        result,
        sum,
    }
}

/// Takes the declarations and the definition of an entity out of the program.
pub(crate) fn remove_entity(program: &Program, entity: Entity) -> Edit {
    let items = program.items.iter().filter(|item| item.entity() == Some(entity));
    Edit::new(program, items.copied().map(Change::RemoveItem).collect())
}

/// Gives an object another name.
pub(crate) fn rename_object(fresh: &mut Fresh, object: ObjectId, name: &str) -> Edit {
    let name = fresh.program.names.intern(name);
    let from = Box::new(fresh.program[object].clone());
    let to = Box::new(Object { name: Some(name), ..(*from).clone() });
    fresh.edit(vec![Change::Object { id: object, from, to }])
}
