//! The definitions of the wrapper functions that guards call.
//!
//! Every test is itself free of undefined behaviour, uses no library and no wider
//! integer type than its operands have.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::cuda::DEVICE;
use super::declarators::{float_keywords, int_keywords};
use super::{Language, PrintOptions};
use crate::expr::BinaryOp;
use crate::target::{FloatFormat, Target};
use crate::types::{FloatKind, IntKind};
use crate::wrapper::{Wrapper, WrapperOperation, WrapperType, guard_name, write_type};

/// The text that defines `wrappers` and all they need, in order.
pub(super) fn definitions(
    target: &Target,
    options: &PrintOptions,
    wrappers: &BTreeSet<Wrapper>,
) -> String {
    let mut out = String::new();
    let products: BTreeSet<FloatKind> = wrappers.iter().filter_map(|w| product_kind(*w)).collect();
    for kind in products {
        let (_, format) = target.float_scalar(kind).expect("the target has the types it uses");
        write_product(&mut out, target, kind, format);
    }
    for &wrapper in wrappers {
        write_wrapper(&mut out, target, wrapper, wrapper.is_macro(options.guards));
    }
    match options.language {
        Language::C => out,
        // No other word of a wrapper contains this one.
        language => constant(&out.replace("_Bool", "bool"), language),
    }
}

/// The same functions as C++ that a compiler may evaluate, where they have no variables.
fn constant(text: &str, language: Language) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for (line, next) in text.lines().zip(text.lines().skip(2).chain([""; 2])) {
        let is_head = line.starts_with("static ") && next.starts_with("    return ");
        let is_pointer = line.starts_with("static void");
        if language == Language::Cuda && line.starts_with("static ") {
            out.push_str(DEVICE);
        }
        let constant = if is_head && !is_pointer { "constexpr " } else { "" };
        write_all(&mut out, format_args!("{constant}{line}\n"));
    }
    out
}

/// The floating type of a wrapper that tests a product.
fn product_kind(wrapper: Wrapper) -> Option<FloatKind> {
    match wrapper.operation {
        WrapperOperation::Binary(BinaryOp::Mul | BinaryOp::Div, WrapperType::Float(kind))
            if wrapper.exact =>
        {
            Some(kind)
        }
        _ => None,
    }
}

fn keywords(ty: WrapperType) -> String {
    match ty {
        WrapperType::Int(kind) => int_keywords(kind).to_owned(),
        WrapperType::Float(kind) => float_keywords(kind).to_owned(),
        WrapperType::BitInt { signed: true, width } => format!("_BitInt({width})"),
        WrapperType::BitInt { signed: false, width } => format!("unsigned _BitInt({width})"),
    }
}

fn type_name(ty: WrapperType) -> String {
    let mut name = String::new();
    write_type(&mut name, ty);
    name
}

/// Sign and width in bits of an integer type; `None` for a floating type.
fn integer(target: &Target, ty: WrapperType) -> Option<(bool, u32)> {
    match ty {
        WrapperType::Int(kind) => Some((target.int_signed(kind), target.int_bits(kind))),
        WrapperType::BitInt { signed, width } => Some((signed, width)),
        WrapperType::Float(_) => None,
    }
}

/// The largest value of a signed type, built up so that nothing overflows.
fn largest(ty: &str, bits: u32) -> String {
    match bits {
        0..=1 => "0".to_owned(),
        _ => format!("((({ty})1 << {}) - 1 + (({ty})1 << {}))", bits - 2, bits - 2),
    }
}

fn write_wrapper(out: &mut String, target: &Target, wrapper: Wrapper, is_macro: bool) {
    let name = guard_name(wrapper);
    let function = match wrapper.operation {
        WrapperOperation::Minus(ty) => unary(target, ty, ty, "-", wrapper.exact),
        WrapperOperation::Convert { from, to } | WrapperOperation::Cast { from, to } => {
            let cast = format!("({})", keywords(to));
            unary(target, from, to, &cast, wrapper.exact)
        }
        WrapperOperation::Binary(op, ty) if wrapper.exact => exact_binary(op, ty),
        WrapperOperation::Binary(op, ty) => binary(target, op, ty, ty),
        WrapperOperation::Shift(op, left, right) => binary(target, op, left, right),
        WrapperOperation::Index(ty) => index(target, ty),
        WrapperOperation::Pointer => Function {
            result: "void *".to_owned(),
            parameters: "const volatile void *a".to_owned(),
            fallback_type: "const volatile void *".to_owned(),
            locals: String::new(),
            fails: "a == 0".to_owned(),
            value: "(void *)a".to_owned(),
            fallback: "(void *)a".to_owned(),
        },
    };
    let Function { result, parameters, fallback_type, locals, fails, value, fallback } = function;
    let (extra, fallback) = match (wrapper.or, wrapper.operation) {
        (true, WrapperOperation::Pointer) => {
            (format!(", {fallback_type}c"), "(void *)c".to_owned())
        }
        (true, _) => (format!(", {fallback_type} c"), "c".to_owned()),
        (false, _) => (String::new(), fallback),
    };
    if is_macro {
        write_macro(
            out,
            &name,
            &result,
            &format!("{parameters}{extra}"),
            &fails,
            &value,
            &fallback,
        );
        return;
    }
    let space = if result.ends_with('*') { "" } else { " " };
    write_all(out, format_args!("static {result}{space}{name}({parameters}{extra})\n{{\n{locals}"));
    if fails.is_empty() {
        write_all(out, format_args!("    return {value};\n}}\n"));
    } else {
        write_all(out, format_args!("    return {fails} ? {fallback} : {value};\n}}\n"));
    }
}

/// A wrapper as a macro on one line. Its variables are the parameters of the function,
/// by names that no argument has.
fn write_macro(
    out: &mut String,
    name: &str,
    result: &str,
    parameters: &str,
    fails: &str,
    value: &str,
    fallback: &str,
) {
    let arguments = &["x", "y", "z"][..parameters.split(", ").count()];
    write_all(out, format_args!("#define {name}({}) ({{ ", arguments.join(", ")));
    for (parameter, argument) in parameters.split(", ").zip(arguments) {
        write_all(out, format_args!("{} = ({argument}); ", reserved(parameter)));
    }
    let value = match fails {
        "" => value.to_owned(),
        _ => format!("{fails} ? {fallback} : {value}"),
    };
    let value = reserved(&value.split_whitespace().collect::<Vec<_>>().join(" "));
    write_all(out, format_args!("({result})({value}); }})\n"));
}

/// The same text with other names for the variables `a`, `b` and `c`.
fn reserved(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        if matches!(word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()), "a" | "b" | "c") {
            out.push_str("__farrier_");
        }
        out.push_str(word);
    }
    out
}

fn write_all(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("writing to memory cannot fail");
}

/// The pieces of a wrapper. The parameters are `a`, `b`, and `c` for the fallback.
struct Function {
    result: String,
    parameters: String,
    fallback_type: String,
    /// Whole lines before the `return`.
    locals: String,
    /// The condition under which the check fails; empty if it never does.
    fails: String,
    value: String,
    /// The value without a parameter for it.
    fallback: String,
}

fn binary(target: &Target, op: BinaryOp, left: WrapperType, right: WrapperType) -> Function {
    let (left_text, right_text) = (keywords(left), keywords(right));
    let result = if op.is_comparison() { "int".to_owned() } else { left_text.clone() };
    let fails = match (integer(target, left), integer(target, right)) {
        (Some((signed, bits)), Some((right_signed, _))) => {
            let max = largest(&left_text, bits);
            // The least value is -max - 1; comparisons avoid naming it.
            match (op, signed) {
                (BinaryOp::Add, true) => {
                    format!("(b > 0 && a > {max} - b) || (b < 0 && a < -{max} - 1 - b)")
                }
                (BinaryOp::Sub, true) => {
                    format!("(b < 0 && a > {max} + b) || (b > 0 && a < -{max} - 1 + b)")
                }
                (BinaryOp::Mul, true) => format!(
                    "(a > 0 && b > 0 && a > {max} / b) || (a > 0 && b < 0 && b < (-{max} - 1) / a)\n        \
                     || (a < 0 && b > 0 && a < (-{max} - 1) / b) || (a < 0 && b < 0 && b < {max} / a)"
                ),
                (BinaryOp::Div | BinaryOp::Rem, true) => {
                    format!("b == 0 || (b == -1 && a < -{max})")
                }
                (BinaryOp::Div | BinaryOp::Rem, false) => "b == 0".to_owned(),
                (BinaryOp::Shl | BinaryOp::Shr, _) => {
                    let mut fails = if right_signed { "b < 0 || " } else { "" }.to_owned();
                    write_all(&mut fails, format_args!("b >= {bits}"));
                    if signed && op == BinaryOp::Shl {
                        write_all(&mut fails, format_args!(" || a < 0 || a > {max} >> b"));
                    }
                    fails
                }
                _ => String::new(),
            }
        }
        _ => String::new(),
    };
    Function {
        parameters: format!("{left_text} a, {right_text} b"),
        fallback_type: result.clone(),
        locals: String::new(),
        fails,
        value: format!("a {} b", op.text()),
        fallback: "a".to_owned(),
        result,
    }
}

/// The suffix of constants that are compared with a value of this type; narrow
/// types are compared in double.
fn constant_suffix(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::LongDouble => "L",
        FloatKind::Float128 => "f128",
        FloatKind::Float64x => "f64x",
        _ => "",
    }
}

/// Whether the integer part of `a` is a value of the integer type, C11 6.3.1.4p1.
fn in_range(target: &Target, from: FloatKind, signed: bool, bits: u32) -> String {
    let (_, format) = target.float_scalar(from).expect("the target has the types it uses");
    let suffix = constant_suffix(from);
    if !signed {
        return format!("a > -1 && a < 0x1p{bits}{suffix}");
    }
    let high = bits - 1;
    if high < format.digits() {
        let past = (1u128 << high) + 1;
        format!("a > -{past:#x}p0{suffix} && a < 0x1p{high}{suffix}")
    } else {
        // The type has no value between the least integer and the one before it.
        format!("a >= -0x1p{high}{suffix} && a < 0x1p{high}{suffix}")
    }
}

/// Unary minus and conversions; `operator` is written before the operand.
fn unary(
    target: &Target,
    from: WrapperType,
    to: WrapperType,
    operator: &str,
    exact: bool,
) -> Function {
    let (from_text, to_text) = (keywords(from), keywords(to));
    let minus = operator == "-";
    let mut locals = String::new();
    let mut value = format!("{operator}a");
    let mut fallback = if minus { "a".to_owned() } else { value.clone() };
    let fails = match (from, integer(target, to)) {
        _ if to == WrapperType::Int(IntKind::Bool) && !exact => String::new(),
        (WrapperType::Float(kind), Some((signed, bits))) => {
            fallback = "0".to_owned();
            let range = in_range(target, kind, signed, bits);
            if exact {
                format!("!({range} && ({from_text})({to_text})a == a)")
            } else {
                format!("!({range})")
            }
        }
        (WrapperType::Float(_), None) if exact => {
            // A variable that is volatile holds no more digits than its type has.
            locals = format!(
                "    volatile {from_text} x = a;\n    volatile {to_text} r = {operator}x;\n"
            );
            value = "r".to_owned();
            fallback = if minus { "a" } else { "r" }.to_owned();
            if minus { "" } else { "x == x && r != x" }.to_owned()
        }
        (_, None) if exact => {
            let (signed, bits) = integer(target, from).expect("not floating, so integer");
            let WrapperType::Float(kind) = to else { unreachable!("not integer, so floating") };
            let (high, suffix) = (bits - u32::from(signed), constant_suffix(kind));
            locals = format!("    volatile {to_text} r = {operator}a;\n");
            value = "r".to_owned();
            fallback = "r".to_owned();
            format!("r - r != 0 || r >= 0x1p{high}{suffix} || ({from_text})r != a")
        }
        (_, Some((true, bits))) if minus => format!("a < -{}", largest(&to_text, bits)),
        _ => String::new(),
    };
    Function {
        parameters: format!("{from_text} a"),
        fallback_type: to_text.clone(),
        result: to_text,
        locals,
        fails,
        value,
        fallback,
    }
}

/// `+ - * /` in a floating type, with a test whether the result is exact.
fn exact_binary(op: BinaryOp, ty: WrapperType) -> Function {
    let (text, name) = (keywords(ty), type_name(ty));
    let magnitudes = "(x < 0 ? -x : x) >= (y < 0 ? -y : y)";
    // What is left when the larger operand is taken from a sum has a representation,
    // so these differences are exact; a result that overflowed makes them differ.
    let exact = match op {
        BinaryOp::Add => format!("{magnitudes} ? r - x == y : r - y == x"),
        BinaryOp::Sub => format!("{magnitudes} ? x - r == y : r + y == x"),
        BinaryOp::Mul => format!("__farrier_product_{name}(x, y, r)"),
        _ => format!("y != 0 && __farrier_product_{name}(r, y, x)"),
    };
    Function {
        parameters: format!("{text} a, {text} b"),
        fallback_type: text.clone(),
        locals: format!(
            "    volatile {text} x = a, y = b;\n    volatile {text} r = x {} y;\n",
            op.text()
        ),
        // With an operand that is not finite, only an invalid operation fails.
        fails: format!(
            "(x - x != 0 || y - y != 0 ? r != r && x == x && y == y\n        : !({exact}))"
        ),
        value: "r".to_owned(),
        fallback: "a".to_owned(),
        result: text,
    }
}

fn index(target: &Target, ty: WrapperType) -> Function {
    let text = keywords(ty);
    let (signed, bits) = integer(target, ty).unwrap_or((true, 64));
    let compared = match ty {
        WrapperType::BitInt { width, .. } => format!("(unsigned _BitInt({width}))a"),
        _ if bits > 64 => "(unsigned __int128)a".to_owned(),
        _ => "(unsigned long long)a".to_owned(),
    };
    Function {
        parameters: format!("{text} a, unsigned long long b"),
        fallback_type: text.clone(),
        locals: String::new(),
        fails: format!("{}{compared} >= b", if signed { "a < 0 || " } else { "" }),
        value: "a".to_owned(),
        fallback: "a".to_owned(),
        result: text,
    }
}

/// The test whether `x * y` is exactly `z`, all three finite: each is an odd number
/// times a power of two, and those numbers are compared as integers.
fn write_product(out: &mut String, target: &Target, kind: FloatKind, format: FloatFormat) {
    let name = type_name(WrapperType::Float(kind));
    let text = float_keywords(kind);
    let four_bytes = if target.int.size == 4 { "unsigned int" } else { "unsigned long" };
    // The type of the bits, that of the significand, and the bits of the fraction.
    let (bits, number, fraction) = match format {
        FloatFormat::Half => ("unsigned short", four_bytes, 10),
        FloatFormat::Single => (four_bytes, four_bytes, 23),
        FloatFormat::Double => ("unsigned long long", "unsigned long long", 52),
        FloatFormat::Quad => ("unsigned __int128", "unsigned __int128", 112),
        FloatFormat::X87 => ("unsigned long long", "unsigned long long", 63),
    };
    let exponent_mask = match format {
        FloatFormat::Half => 0x1f,
        FloatFormat::Single => 0xff,
        FloatFormat::Double => 0x7ff,
        FloatFormat::X87 | FloatFormat::Quad => 0x7fff,
    };
    let take_apart = match format {
        FloatFormat::X87 => format!(
            "    union {{ {text} value; struct {{ {bits} low; unsigned short high; }} bits; }} u;\n    \
             {number} m;\n    int e;\n    u.value = x;\n    m = u.bits.low;\n    \
             e = u.bits.high & {exponent_mask:#x};\n    if (e == 0)\n        e = 1;\n"
        ),
        _ => format!(
            "    union {{ {text} value; {bits} bits; }} u;\n    \
             {number} m;\n    int e;\n    u.value = x;\n    \
             m = u.bits & ((({number})1 << {fraction}) - 1);\n    \
             e = (int)(u.bits >> {fraction} & {exponent_mask:#x});\n    \
             if (e == 0)\n        e = 1;\n    else\n        m |= ({number})1 << {fraction};\n"
        ),
    };
    write_all(
        out,
        format_args!(
            "static {number} __farrier_odd_{name}({text} x, int *exponent)\n{{\n{take_apart}    \
             while ((m & 1) == 0) {{\n        m >>= 1;\n        e++;\n    }}\n    \
             *exponent = e - {};\n    return m;\n}}\n",
            // The fraction counts as an integer, so its bits come off the exponent.
            exponent_mask / 2 + fraction,
        ),
    );
    let limit = match format {
        FloatFormat::X87 => format!("~({number})0"),
        _ => format!("((({number})1 << {}) - 1)", fraction + 1),
    };
    write_all(
        out,
        format_args!(
            "static int __farrier_product_{name}({text} x, {text} y, {text} z)\n{{\n    \
             {number} l, m, n;\n    int i, j, k;\n    \
             if (x - x != 0 || y - y != 0 || z - z != 0)\n        return 0;\n    \
             if (x == 0 || y == 0)\n        return z == 0;\n    \
             if (z == 0)\n        return 0;\n    \
             l = __farrier_odd_{name}(x, &i);\n    m = __farrier_odd_{name}(y, &j);\n    \
             n = __farrier_odd_{name}(z, &k);\n    \
             return l <= {limit} / m && l * m == n && i + j == k;\n}}\n"
        ),
    );
}
