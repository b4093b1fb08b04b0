//! Why a program is well defined: the verdict of the machine, with the values that matter.

use std::collections::BTreeMap;

use farrier_lang::print::print_expr;
use farrier_lang::{BinaryOp, ExprId, ExprKind, Program, Type, TypeId, UnaryOp, integer_type};
use farrier_machine::{Behavior, Certified, Chosen, Options, Profile, Watch, certify, run};
use serde::Serialize;

use crate::finding::verdict_in_words;

/// How many operations are listed.
const MOST_OPERATIONS: usize = 60;

/// How long an operation is shown.
const MOST_TEXT: usize = 100;

/// What the machine says about a program.
#[derive(Debug)]
pub(crate) struct Examined {
    /// The program, if it is defined.
    pub(crate) certified: Option<Certified>,
    /// The verdict in a sentence.
    pub(crate) verdict: String,
    /// The operations that could be undefined for other values.
    pub(crate) operations: Vec<Operation>,
    /// How many more there are.
    pub(crate) more: usize,
}

/// An operation that could be undefined, with the values that it had.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Operation {
    pub(crate) line: u32,
    pub(crate) text: String,
    /// Its rule, and why it is kept.
    pub(crate) why: String,
    /// How often it was executed.
    pub(crate) count: u64,
}

/// Asks the machine.
pub(crate) fn prove(program: Program, options: &Options) -> Examined {
    let watch = Watch { expressions: Chosen::All, ..Watch::default() };
    let profiled = run(&program, &Options { profile: Some(watch), ..options.clone() });
    let (operations, more) = match &profiled.profile {
        Some(profile) => operations(&program, profile),
        None => (Vec::new(), 0),
    };
    match certify(program, options) {
        Ok(certified) => {
            let verdict = defined(certified.behavior()) + &floating(&certified);
            Examined { certified: Some(certified), verdict, operations, more }
        }
        Err(verdict) => Examined {
            certified: None,
            verdict: format!("the machine says that {}", verdict_in_words(&verdict)),
            operations: Vec::new(),
            more: 0,
        },
    }
}

fn defined(behavior: &Behavior) -> String {
    let volatile = match behavior.volatile_accesses {
        0 => String::new(),
        number => format!(", {number} of them accesses to volatile objects"),
    };
    format!(
        "Farrier's abstract machine executes the program to its end: {} operations{volatile}, \
         none of them undefined or unspecified. At every step it checks overflow, shifts, \
         divisions, conversions, bounds, lifetimes, uninitialised values, alignment, effective \
         types (strict aliasing), restrict, and the order of evaluation",
        behavior.steps
    )
}

/// Why the flags may do what they do with its floating arithmetic, if it has any.
fn floating(certified: &Certified) -> String {
    if !certified.has_floats() {
        return String::new();
    }
    let tier = certified.tier();
    format!(". Its floating arithmetic is {}: {}", tier.name(), tier.about())
}

/// The operations that were executed and could be undefined, by line.
fn operations(program: &Program, profile: &Profile) -> (Vec<Operation>, usize) {
    let mut found: BTreeMap<(u32, String), Operation> = BTreeMap::new();
    for (expr, seen) in profile.evaluated(&program.exprs) {
        if program.is_fixed(expr) {
            continue;
        }
        let Some(why) = reason(program, profile, expr) else { continue };
        let line = program
            .expr_span(expr)
            .and_then(|span| program.sources.place(span))
            .map_or(0, |place| place.line);
        let mut text = print_expr(program, expr);
        if text.len() > MOST_TEXT {
            text.truncate(text.floor_char_boundary(MOST_TEXT));
            text.push_str("...");
        }
        let operation = Operation { line, text: text.clone(), why, count: seen.count };
        found.entry((line, text)).or_insert(operation);
    }
    let more = found.len().saturating_sub(MOST_OPERATIONS);
    (found.into_values().take(MOST_OPERATIONS).collect(), more)
}

/// Why an operation is defined, if that depends on its values.
fn reason(program: &Program, profile: &Profile, expr: ExprId) -> Option<String> {
    let node = &program[expr];
    let range = |expr: ExprId| {
        let values = known(program, profile, expr)?;
        Some(match values {
            (low, high) if low == high => low.to_string(),
            (low, high) => format!("{low} to {high}"),
        })
    };
    match node.kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, right)
            if program.is_integer(node.ty) =>
        {
            Some(format!("divisor {}, not 0", range(right)?))
        }
        ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, left, right) => {
            let bits = integer_type(program, node.ty)?.bits;
            let value = range(left).map_or_else(String::new, |left| format!("value {left}, "));
            Some(format!("{value}count {}, in 0 to {}", range(right)?, bits - 1))
        }
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
        | ExprKind::Unary(UnaryOp::Minus, _) => {
            let (low, high) = signed_range(program, node.ty)?;
            Some(format!("result {}, in {low} to {high}", range(expr)?))
        }
        ExprKind::Load(place) => {
            let ExprKind::Index(base, index) = program[place].kind else { return None };
            let length = array_length(program, base)?;
            Some(format!("index {}, in 0 to {}", range(index)?, length.checked_sub(1)?))
        }
        _ => None,
    }
}

/// The integers that an expression had.
fn known(program: &Program, profile: &Profile, expr: ExprId) -> Option<(i128, i128)> {
    if let ExprKind::Int(value) = program[expr].kind {
        return Some((value.into(), value.into()));
    }
    if let ExprKind::Convert(inner) = program[expr].kind
        && profile.expr(expr).values.is_none()
    {
        return known(program, profile, inner);
    }
    let values = profile.expr(expr).integers()?;
    Some((values.low, values.high))
}

fn signed_range(program: &Program, ty: TypeId) -> Option<(i128, i128)> {
    let integer = integer_type(program, ty)?;
    (integer.signed && integer.bits <= 64).then(|| {
        let half = 1_i128 << (integer.bits - 1);
        (-half, half - 1)
    })
}

/// The length of an array that is indexed by its own name.
fn array_length(program: &Program, base: ExprId) -> Option<u64> {
    let ExprKind::Decay(array) = program[base].kind else { return None };
    match program.resolve(program.type_of(array)) {
        Type::Array { length: farrier_lang::ArrayLength::Fixed(length), .. } => Some(*length),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use farrier_lang::target::X86_64_LINUX;

    use super::*;
    use crate::triage::divergence::parse;

    #[test]
    fn the_values_that_matter_are_listed() {
        let text = "int a[3] = {1, 2, 3};\nint main(void)\n{\n    int sum = 0;\n    \
                    for (int i = 0; i < 3; i++)\n        sum += a[i] << i;\n    \
                    return sum / 2 - 8;\n}\n";
        let program = parse(text, &X86_64_LINUX).expect("it is C");
        let proof = prove(program, &Options::default());
        assert!(proof.certified.is_some(), "{}", proof.verdict);
        assert!(proof.verdict.contains("none of them undefined"), "{}", proof.verdict);
        let found: Vec<(u32, &str, &str, u64)> = proof
            .operations
            .iter()
            .map(|it| (it.line, it.text.as_str(), it.why.as_str(), it.count))
            .collect();
        assert_eq!(
            found,
            [
                (6, "a[i]", "index 0 to 2, in 0 to 2", 3),
                (6, "a[i] << i", "value 1 to 3, count 0 to 2, in 0 to 31", 3),
                (7, "sum / 2", "divisor 2, not 0", 1),
                (7, "sum / 2 - 8", "result 0, in -2147483648 to 2147483647", 1),
            ]
        );
    }

    #[test]
    fn an_undefined_program_has_no_proof() {
        let program = parse("int main(void) { int x = 1; return x / (x - 1); }", &X86_64_LINUX);
        let proof = prove(program.expect("it is C"), &Options::default());
        assert!(proof.certified.is_none());
        assert!(proof.verdict.contains("undefined (division"), "{}", proof.verdict);
    }
}
