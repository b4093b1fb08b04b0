//! Declarations and definitions at file scope, initialisers, and inline assembly.

#[path = "print_support/build.rs"]
mod build;

use build::Build;
use farrier_lang::builtins::Builtin;
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::*;

/// Prints, compares, and compiles in every dialect in which the text is the same.
#[track_caller]
fn expect(build: &mut Build, dialects: &[Dialect], text: &str) {
    for &dialect in dialects {
        build.program.dialect = dialect;
        let printed = print(&build.program, &PrintOptions::default());
        assert_eq!(printed, text, "in {}", dialect.name());
        build::compile(&printed, dialect);
    }
}

fn field(build: &mut Build, name: &str, ty: TypeId) -> Field {
    let name = (!name.is_empty()).then(|| build.program.names.intern(name));
    Field { name, ty, bits: None, packed: false, align: None, attributes: [].into() }
}

fn record(build: &mut Build, kind: RecordKind, tag: &str, fields: Vec<Field>) -> RecordId {
    let tag = (!tag.is_empty()).then(|| build.program.names.intern(tag));
    build.program.records.push(Record {
        kind,
        tag,
        fields: Some(fields.into()),
        packed: false,
        pack: None,
        align: None,
        may_alias: false,
        attributes: [].into(),
    })
}

fn attribute(build: &mut Build, name: &str, arguments: Option<&str>) -> Attribute {
    let name = build.program.names.intern(name);
    Attribute { name, arguments: arguments.map(Into::into) }
}

fn string(build: &mut Build, text: &str) -> StringId {
    let units = text.bytes().map(u32::from).collect();
    build.program.strings.push(StringLiteral { encoding: Encoding::Plain, units })
}

#[test]
fn records_enums_and_typedefs() {
    let mut build = Build::new(Dialect::C17);
    let b = &mut build;
    let long_long = Types::int(IntKind::LongLong);
    let mut first = field(b, "a", Types::INT);
    first.bits = Some(3);
    let mut hole = field(b, "", Types::INT);
    hole.bits = Some(0);
    let mut wide = field(b, "w", long_long);
    wide.packed = true;
    wide.align = Some(2);
    let c = field(b, "c", Types::CHAR);
    let inner = record(b, RecordKind::Union, "", vec![c]);
    let inner_type = b.program.types.intern(Type::Record(inner));
    let anonymous = field(b, "", inner_type);
    let open = b.program.types.array_of(Types::INT, ArrayLength::Unknown);
    let flexible = field(b, "f", open);
    let outer = record(b, RecordKind::Struct, "s", vec![first, hole, wide, anonymous, flexible]);
    b.program[outer].pack = Some(2);
    b.program[outer].align = Some(16);
    b.program[outer].packed = true;
    b.program.items.push(Item::Declare(Entity::Record(outer)));
    b.program.items.push(Item::Define(Entity::Record(outer)));

    let tag = b.program.names.intern("e");
    let parent = b.program.enums.push(Enum {
        tag,
        constants: None,
        underlying: IntKind::Long,
        fixed: false,
        packed: false,
    });
    let constants: Vec<EnumConstantId> = [("A", -1), ("B", i128::from(i64::MIN)), ("C", 7)]
        .into_iter()
        .map(|(name, value)| {
            let name = b.program.names.intern(name);
            b.program.enum_constants.push(EnumConstant { name, parent, value, ty: Types::INT })
        })
        .collect();
    b.program[parent].constants = Some(constants.into());
    b.program.items.push(Item::Define(Entity::Enum(parent)));

    let name = b.program.names.intern("loose");
    let other = attribute(b, "unused", None);
    let typedef = b.program.typedefs.push(Typedef {
        name,
        base: Types::INT,
        align: Some(1),
        may_alias: true,
        extended: false,
        attributes: [other].into(),
    });
    b.program.items.push(Item::Define(Entity::Typedef(typedef)));
    let ty = b.program.types.intern(Type::Typedef(typedef));
    let ty = b.program.types.qualified(ty, Qualifiers::VOLATILE);
    let x = b.object("x", ty, None);
    let section = attribute(b, "section", Some("\".data.x\""));
    let label = string(b, "x_in_asm");
    let object = &mut b.program[x];
    object.align = Some(32);
    object.attributes = [section].into();
    object.asm_name = Some(label);
    object.storage = Storage::Static;
    let y = b.object("y", Types::INT, None);
    b.program[y].linkage = Linkage::Internal;
    b.program[y].storage = Storage::Thread;
    b.program.items.insert(0, Item::Declare(Entity::Object(y)));
    expect(
        b,
        &Dialect::ALL,
        "static __thread int y;\n\
         struct s;\n\
         #pragma pack(push, 2)\n\
         struct s {\n    int a : 3;\n    int : 0;\n    \
         long long w __attribute__((packed, aligned(2)));\n\
         #pragma pack(push)\n#pragma pack()\n    union {\n        char c;\n    };\n\
         #pragma pack(pop)\n    int f[];\n} __attribute__((packed, aligned(16)));\n\
         #pragma pack(pop)\n\
         enum e {\n    A = -1,\n    B = -1 - 9223372036854775807,\n    C = 7\n};\n\
         typedef int loose __attribute__((aligned(1))) __attribute__((may_alias)) __attribute__((unused));\n\
         volatile loose x __asm__(\"x_in_asm\") __attribute__((aligned(32), section(\".data.x\")));\n\
         static __thread int y;\n",
    );
}

#[test]
fn functions() {
    let mut build = Build::new(Dialect::C17);
    let b = &mut build;
    let p = b.hidden_object("p", Types::INT);
    let q = b.hidden_object("q", Types::CHAR);
    b.program[p].storage = Storage::Register;
    let old = b.function("old", Types::INT, &[p, q], vec![]);
    let Type::Function(ty) = b.program.types.get(b.program[old].ty).clone() else { panic!() };
    let unknown = FunctionType { prototyped: false, parameters: [].into(), ..*ty };
    let unknown = b.program.types.function(unknown);
    b.program[old].ty = unknown;
    b.program[old].old_style = true;

    let inline = b.function("twice", Types::INT, &[], vec![]);
    let label = string(b, "once");
    let always = attribute(b, "always_inline", None);
    let function = &mut b.program[inline];
    function.specifiers = FunctionSpecifiers { inline: true, noreturn: true, extern_inline: true };
    function.attributes = [always].into();
    function.asm_name = Some(label);
    b.program.items.insert(0, Item::Declare(Entity::Function(inline)));

    let array = b.program.types.array_of(Types::INT, ArrayLength::Fixed(3));
    let to_array = b.program.types.pointer_to(array);
    let x = b.hidden_object("x", Types::INT);
    let rows = b.function("rows", to_array, &[x], vec![]);
    b.program[rows].linkage = Linkage::Internal;
    expect(
        b,
        &Dialect::ALL[..3],
        "__attribute__((noreturn, always_inline)) extern inline int twice(void) __asm__(\"once\");\n\
         int old(p, q)\n    register int p;\n    char q;\n{}\n\
         __attribute__((noreturn, always_inline)) extern inline int twice(void)\n{}\n\
         static int (*rows(int x))[3]\n{}\n",
    );
}

#[test]
fn initialisers_name_a_place_only_where_they_must() {
    let mut build = Build::new(Dialect::C17);
    let b = &mut build;
    let (inner_a, inner_b) = (field(b, "u", Types::INT), field(b, "v", Types::INT));
    let inner = record(b, RecordKind::Struct, "", vec![inner_a, inner_b]);
    let inner = b.program.types.intern(Type::Record(inner));
    let mut hole = field(b, "", Types::INT);
    hole.bits = Some(4);
    let array = b.program.types.array_of(Types::INT, ArrayLength::Fixed(9));
    let fields = vec![
        hole,
        field(b, "a", Types::INT),
        field(b, "", inner),
        field(b, "z", array),
        field(b, "last", Types::INT),
    ];
    let outer = record(b, RecordKind::Struct, "t", fields);
    b.program.items.push(Item::Define(Entity::Record(outer)));
    let outer = b.program.types.intern(Type::Record(outer));
    let one = b.int(1);
    let item = |place, value| InitItem { place, value };
    let at = |first, last| InitPlace::Elements { first, last };
    let list =
        |b: &mut Build, ty, items: Vec<InitItem>| b.expr(ExprKind::InitList(items.into()), ty);
    let elements = list(
        b,
        array,
        vec![item(at(0, 0), one), item(at(2, 2), one), item(at(3, 5), one), item(at(6, 6), one)],
    );
    let both = vec![item(InitPlace::Field(0), one), item(InitPlace::Field(1), one)];
    let both = list(b, inner, both);
    let second = list(b, inner, vec![item(InitPlace::Field(1), one)]);
    let in_order = vec![
        item(InitPlace::Field(1), one),
        item(InitPlace::Field(2), both),
        item(InitPlace::Field(3), elements),
    ];
    let in_order = list(b, outer, in_order);
    let out_of_order = vec![item(InitPlace::Field(2), second), item(InitPlace::Field(4), one)];
    let out_of_order = list(b, outer, out_of_order);
    let nothing = list(b, outer, vec![]);
    b.object("x", outer, Some(in_order));
    b.object("y", outer, Some(out_of_order));
    b.object("n", outer, Some(nothing));
    let literal = b.expr(ExprKind::CompoundLiteral(one), Types::INT);
    let pointer = b.program.types.pointer_to(Types::INT);
    let address = b.expr(ExprKind::AddressOf(literal), pointer);
    b.object("p", pointer, Some(address));
    expect(
        b,
        &Dialect::ALL,
        "struct t {\n    int : 4;\n    int a;\n    struct {\n        int u;\n        int v;\n    };\n    \
         int z[9];\n    int last;\n};\n\
         struct t x = {1, {1, 1}, {1, [2] = 1, [3 ... 5] = 1, 1}};\n\
         struct t y = {.v = 1, .last = 1};\n\
         struct t n = {};\n\
         int *p = &(int){1};\n",
    );
}

#[test]
fn expressions_that_name_types_and_members() {
    let mut build = Build::new(Dialect::C17);
    let b = &mut build;
    let u = field(b, "u", Types::INT);
    let inner = record(b, RecordKind::Struct, "", vec![u]);
    let inner = b.program.types.intern(Type::Record(inner));
    let fields = vec![field(b, "", inner)];
    let outer = record(b, RecordKind::Struct, "t", fields);
    b.program.items.push(Item::Define(Entity::Record(outer)));
    let outer = b.program.types.intern(Type::Record(outer));
    let pointer = b.program.types.pointer_to(outer);
    let p = b.object("p", pointer, None);
    let size = Types::int(IntKind::ULong);

    let load = b.load(p);
    let target = b.expr(ExprKind::Deref(load), outer);
    let middle = b.expr(ExprKind::Member(target, 0), inner);
    let arrow = b.expr(ExprKind::Member(middle, 0), Types::INT);
    let element = b.expr(ExprKind::Index(load, arrow), outer);
    let middle = b.expr(ExprKind::Member(element, 0), inner);
    let dot = b.expr(ExprKind::Member(middle, 0), Types::INT);
    let path = [OffsetStep::Field(0), OffsetStep::Field(0)].into();
    let offset = b.expr(ExprKind::Offsetof(outer, path), size);
    let literal_list = b.expr(ExprKind::InitList([].into()), outer);
    let literal = b.expr(ExprKind::CompoundLiteral(literal_list), outer);
    let sizeof = b.expr(ExprKind::SizeofExpr(literal), size);
    let align = b.expr(ExprKind::AlignofType(AlignofForm::Standard, Types::DOUBLE), size);
    let preferred = b.expr(ExprKind::AlignofType(AlignofForm::Preferred, Types::DOUBLE), size);
    let builtin = Builtin::by_name("__builtin_constant_p").expect("in the table");
    let known = b.expr(ExprKind::Builtin(builtin, [arrow].into()), Types::INT);
    let text = string(b, "nop");
    let (constraint, memory) = (string(b, "=m"), string(b, "memory"));
    let operand = AsmOperand { name: None, constraint, value: arrow };
    let asm = b.program.asms.push(Asm {
        volatile: true,
        inline: false,
        extended: true,
        template: text,
        outputs: [operand].into(),
        inputs: [].into(),
        clobbers: [memory].into(),
        labels: [].into(),
    });
    let bare =
        Asm { outputs: [].into(), clobbers: [].into(), extended: true, ..b.program[asm].clone() };
    let bare = b.program.asms.push(bare);
    let block = {
        let value = b.program.stmts.push(Stmt::Expr(arrow));
        b.program.stmts.push(Stmt::Block([value].into()))
    };
    let statement = b.expr(ExprKind::StatementExpr(block), Types::INT);
    let i = b.hidden_object("i", Types::INT);
    let to_int = b.program.types.pointer_to(Types::INT);
    let j = b.hidden_object("j", to_int);
    b.program[i].init = Some(arrow);
    let mut body: Vec<StmtId> = [dot, offset, sizeof, align, preferred, known, statement]
        .map(|e| b.program.stmts.push(Stmt::Expr(e)))
        .into();
    let init = [i, j].map(|object| b.program.stmts.push(Stmt::Declare(object)));
    let empty = b.program.stmts.push(Stmt::Empty);
    body.push(b.program.stmts.push(Stmt::Asm(asm)));
    body.push(b.program.stmts.push(Stmt::Asm(bare)));
    body.push(b.program.stmts.push(Stmt::For {
        init: init.into(),
        condition: None,
        step: Some(arrow),
        body: empty,
    }));
    b.function("f", Types::VOID, &[], body);
    expect(
        b,
        &Dialect::ALL,
        "struct t {\n    struct {\n        int u;\n    };\n};\nstruct t *p;\nvoid f(void)\n{\n    \
         p[p->u].u;\n    __builtin_offsetof(struct t, u);\n    sizeof((struct t){});\n    \
         _Alignof(double);\n    __alignof__(double);\n    __builtin_constant_p(p->u);\n    \
         ({\n        p->u;\n    });\n    \
         __asm__ volatile (\"nop\" : \"=m\" (p->u) : : \"memory\");\n    \
         __asm__ volatile (\"nop\" :);\n    \
         for (int i = p->u, *j;; p->u)\n        ;\n}\n",
    );
}
