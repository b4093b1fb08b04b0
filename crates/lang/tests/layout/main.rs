//! Layouts against compilers: that of each tested target asserts what we say.
//!
//! Needs the compilers, without their libraries, and fails if one is missing.
//! Besides the aggregates of `cargo test`, 240,000 others were compared in this way
//! (seeds 1000 to 1199) with gcc 12.2 and avr-gcc 5.4.
#![expect(clippy::disallowed_methods, reason = "layouts are compared with real compilers")]

mod compiler;
mod generate;

use std::fmt::Write as _;

use compiler::{Compiler, compilers, knows};
use farrier_lang::layout::{BitRange, Layouts};
use farrier_lang::{Dialect, FloatKind, IntKind, Program, Type, TypeId, Types};
use generate::{Generator, Member, float_text, int_text};

/// Where a member is, through the anonymous members around it: its offset in bytes,
/// its alignment, and its bits.
fn locate(
    program: &Program,
    layouts: &mut Layouts,
    member: &Member,
) -> (u64, u32, Option<BitRange>) {
    let (mut offset, mut align, mut bits) = (0, 1, None);
    for &(record, index) in &member.path {
        let layout = layouts.record(program, record).expect("complete");
        let field = layout.fields[index];
        bits = field.bits.map(|bits| BitRange { offset: offset * 8 + bits.offset, ..bits });
        offset += field.offset;
        align = field.align;
    }
    (offset, align, bits)
}

/// Generates `count` aggregates and lets the compiler check everything about them.
fn check_aggregates(compiler: &Compiler, seed: u64, count: usize) {
    let mut generator = Generator::new(compiler.target, seed);
    for _ in 0..count {
        generator.add_aggregate();
    }
    let Generator { program, text, aggregates, .. } = &generator;
    let mut layouts = Layouts::default();
    let mut source = text.clone();
    let mut bit_fields = Vec::new();
    for aggregate in aggregates {
        let name = &aggregate.named.text;
        let layout = layouts.record(program, aggregate.id).expect("complete");
        let align = layouts.align_of(program, aggregate.named.ty).expect("complete");
        let preferred = layouts.preferred_align_of(program, aggregate.named.ty).expect("complete");
        assert_eq!(layout.align, align, "{name}");
        let mut claim = |what: String, value: u64| {
            writeln!(source, "_Static_assert({what} == {value}, \"{what} is not {value}\");")
                .expect("strings grow");
        };
        claim(format!("sizeof({name})"), layout.size);
        // GCC says that no type is aligned to more than a scalar can be, clang does not.
        if program.target.toolchain.compiler != "clang" {
            claim(format!("_Alignof({name})"), align.into());
        }
        claim(format!("__alignof__({name})"), preferred.into());
        for member in &aggregate.members {
            let (offset, align, bits) = locate(program, &mut layouts, member);
            let field = &member.name;
            match bits {
                None => {
                    claim(format!("__builtin_offsetof({name}, {field})"), offset);
                    claim(format!("__alignof__((({name} *)0)->{field})"), align.into());
                }
                Some(bits) => bit_fields.push((name, field, layout.size, bits)),
            }
        }
    }
    // The position of a bit-field shows in the data of an object in which its bits are set.
    for (name, field, ..) in &bit_fields {
        writeln!(source, "const {name} data_{field} = {{ .{field} = -1 }};").expect("strings grow");
    }
    let disagree = |messages: &str| -> ! {
        let path = std::env::temp_dir().join(format!("layout-{}-{seed}.c", compiler.target.name));
        std::fs::write(&path, &source).expect("the temporary directory is writable");
        panic!(
            "the compiler for {} disagrees: {messages}\nsee {}",
            compiler.target.name,
            path.display()
        );
    };
    let assembly = compiler.compile(&source).unwrap_or_else(|messages| disagree(&messages));
    assert!(bit_fields.len() > count, "too few bit-fields: {}", bit_fields.len());
    for (name, field, size, bits) in bit_fields {
        let bytes = compiler.data(&assembly, &format!("data_{field}"));
        // The first bit of a byte is its highest where the first byte of a number is.
        let first = if compiler.target.big_endian { 7 } else { 0 };
        let set = (0..bytes.len() as u64 * 8)
            .filter(|bit| bytes[(bit / 8) as usize] >> ((bit % 8) ^ first) & 1 == 1);
        let expected = bits.offset..bits.offset + u64::from(bits.width);
        if !set.eq(expected.clone()) || bytes.len() as u64 != size {
            disagree(&format!(
                "{field} of {name} is not at {expected:?} of {size} bytes: {bytes:x?}"
            ));
        }
    }
}

/// Each seed is 400 aggregates. After a change of a layout rule, run more of them.
const SEEDS: std::ops::Range<u64> = 1..6;

#[test]
fn aggregates_agree_with_compilers() {
    for seed in SEEDS {
        for compiler in &compilers() {
            check_aggregates(compiler, seed, 400);
        }
    }
}

#[test]
fn the_bit_fields_of_microsoft_agree_with_gcc() {
    let compiler = compiler::microsoft();
    for seed in SEEDS {
        check_aggregates(&compiler, seed, 400);
    }
}

/// The scalar types of a target with their texts; the first list has those that exist.
fn scalars(program: &mut Program) -> (Vec<(TypeId, String)>, Vec<&'static str>) {
    let target = program.target;
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    let kinds = IntKind::ALL
        .map(|kind| (Types::int(kind), int_text(kind), target.int_scalar(kind).is_some()));
    let floats = FloatKind::ALL
        .map(|kind| (Types::float(kind), float_text(kind), target.float_layout(kind).is_some()));
    for (ty, text, exists) in kinds.into_iter().chain(floats) {
        if !exists || !knows(target, text) {
            missing.push(text);
            continue;
        }
        found.push((ty, text.to_string()));
        let complex = format!("_Complex {text}");
        if text != "_Bool" && knows(target, &complex) {
            found.push((program.types.complex_of(ty), complex));
        }
    }
    let pointer = program.types.pointer_to(Types::VOID);
    let function = Type::Function(Box::new(farrier_lang::FunctionType {
        result: Types::VOID,
        parameters: [].into(),
        variadic: false,
        prototyped: true,
    }));
    let function = program.types.intern(function);
    let function = program.types.pointer_to(function);
    found.push((pointer, "void *".into()));
    found.push((function, "void (*)(void)".into()));
    found.push((program.types.intern(Type::VaList), "__builtin_va_list".into()));
    (found, missing)
}

#[test]
fn scalars_agree_with_compilers() {
    for compiler in &compilers() {
        let target = compiler.target;
        let mut program = Program::new(target, Dialect::C11);
        let mut layouts = Layouts::default();
        let (found, missing) = scalars(&mut program);
        let mut source = String::new();
        let mut claim = |what: String| {
            writeln!(source, "_Static_assert({what}, \"{what}\");").expect("strings grow");
        };
        for (ty, text) in found {
            let size = layouts.size_of(&program, ty).expect("it exists");
            let align = layouts.align_of(&program, ty).expect("it exists");
            let preferred = layouts.preferred_align_of(&program, ty).expect("it exists");
            claim(format!("sizeof({text}) == {size}"));
            claim(format!("_Alignof({text}) == {align}"));
            claim(format!("__alignof__({text}) == {preferred}"));
        }
        for (text, kind) in [
            ("__SIZE_TYPE__", target.size_type),
            ("__PTRDIFF_TYPE__", target.ptrdiff_type),
            ("__WCHAR_TYPE__", target.wchar_type),
            ("__CHAR16_TYPE__", target.char16_type),
            ("__CHAR32_TYPE__", target.char32_type),
        ] {
            claim(format!("__builtin_types_compatible_p({text}, {})", int_text(kind)));
        }
        claim(format!("__FLT_MANT_DIG__ == {}", target.float.1.digits()));
        claim(format!("__DBL_MANT_DIG__ == {}", target.double.1.digits()));
        if let Some(format) = target.long_double.1 {
            claim(format!("__LDBL_MANT_DIG__ == {}", format.digits()));
        }
        claim(format!("((char)-1 < 0) == {}", u8::from(target.char_signed)));
        claim(format!(
            "(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) == {}",
            u8::from(target.big_endian)
        ));
        claim(format!("__BIGGEST_ALIGNMENT__ == {}", target.biggest_align));
        if let Err(messages) = compiler.compile(&source) {
            panic!("the compiler for {} disagrees: {messages}", target.name);
        }
        for text in missing {
            let accepted = compiler.compile(&format!("{text} object;\n"));
            assert!(accepted.is_err(), "{} has {text} after all", target.name);
        }
    }
}
