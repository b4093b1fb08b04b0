//! Every rewrite, on all values of 4 bits.

use farrier_lang::{ArithmeticFault, BinaryOp, IntegerType, UnaryOp};
use farrier_machine::{Integers, Watch};

use super::form::{Form, Operation, Operator, Seen, Step, can_fail};
use super::rows::{ROWS, Site, choose, largest_constant};
use super::{Discharge, Known, discharge_from, open_guards, profile_of, watch};
use crate::choices::Choices;

const SIGNED: IntegerType = IntegerType { signed: true, bits: 4 };
const UNSIGNED: IntegerType = IntegerType { signed: false, bits: 4 };

const BINARY: [BinaryOp; 7] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Shl,
    BinaryOp::Shr,
];

/// All operations of 4 bits that can fail; the operands of a shift may differ in their sign.
fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    for ty in [SIGNED, UNSIGNED] {
        if ty.signed {
            all.push(Operation { operator: Operator::Minus, left: ty, right: ty });
        }
        for op in BINARY.into_iter().filter(|op| can_fail(*op, ty)) {
            let operator = Operator::Binary(op);
            all.push(Operation { operator, left: ty, right: ty });
            if op.is_shift() {
                let right = if ty.signed { UNSIGNED } else { SIGNED };
                all.push(Operation { operator, left: ty, right });
            }
        }
    }
    all
}

fn values(ty: IntegerType) -> std::ops::RangeInclusive<i128> {
    ty.min()..=ty.max() as i128
}

/// The operation itself.
fn original(operation: Operation, left: i128, right: i128) -> Result<i128, ArithmeticFault> {
    match operation.operator {
        Operator::Minus => operation.left.negate(left),
        Operator::Binary(op) => operation.left.binary(op, left, right),
    }
}

/// What a form gives. Its constants have to be of the type.
fn evaluate(
    form: Form,
    operation: Operation,
    left: i128,
    right: i128,
) -> Result<i128, ArithmeticFault> {
    if let Form::Binary { left, right, .. } = form {
        let fits = |step: Step, ty: IntegerType| ty.contains(step.constant) && step.constant >= 0;
        assert!(left.is_none_or(|step| fits(step, operation.left)), "{left:?}");
        assert!(right.into_iter().flatten().all(|step| fits(step, operation.right)), "{right:?}");
    }
    form.value(operation, left, right)
}

fn range(low: i128, high: i128) -> Seen {
    Seen { low, high, zero: low <= 0 && high >= 0, few: Vec::new() }
}

fn one(ty: IntegerType, value: i128) -> Seen {
    Seen::new(ty, &Integers::from(value)).expect("small numbers are in order")
}

/// A step from one value to another leads there.
#[test]
fn steps_lead_from_one_value_to_another() {
    let mut choices = Choices::new(4);
    for ty in [SIGNED, UNSIGNED] {
        let mut without = 0;
        for from in values(ty) {
            for to in values(ty).filter(|to| *to != from) {
                for _ in 0..4 {
                    match Step::between(from, to, ty, &mut choices) {
                        Some(step) => {
                            assert!((1..=largest_constant(ty)).contains(&step.constant));
                            assert_eq!(ty.binary(step.op, from, step.constant), Ok(to), "{step:?}");
                        }
                        None => without += 1,
                    }
                }
            }
        }
        // From a very low number to a very high one, or back.
        assert_eq!(without, if ty.signed { 4 * 72 } else { 0 });
    }
}

/// Where the run is known already, guards that fired become operations with the values that the
/// guards had.
#[test]
fn what_a_known_run_did_stays() {
    let declarations = "int a = 2147483647, b = 5, z, n = -1, s = 40; long long m = -9223372036854775807LL - 1;\
        unsigned u = 9; double d = 1e300, e = 3, o = -0.0; int t[4] = {1, 2, 3, 4};\
        int f(int x) { b ^= x; return x; } long long r; double g;";
    let expressions = [
        "__farrier_add_int(a, b)",
        "__farrier_add_int_or(a, b, 7)",
        "__farrier_sub_llong(m, b)",
        "__farrier_mul_int(f(a), s)",
        "__farrier_neg_llong(m)",
        "__farrier_div_int(a, z)",
        "__farrier_rem_uint(u, z)",
        "__farrier_div_llong(m, n)",
        "__farrier_div_int(a, a < b)",
        "__farrier_shr_int_int(a, s)",
        "__farrier_shl_int_int(n, b)",
        "__farrier_shl_int_int(b, s)",
        "__farrier_add_int(__farrier_add_int(a, b), __farrier_mul_int(a, __farrier_add_int(a, 1)))",
        "t[__farrier_index_int_or(s, 4, 2)]",
        "t[__farrier_index_llong_or(m, 4, 1)]",
        "__farrier_cast_double_int(d)",
    ];
    for text in expressions {
        let mut different = std::collections::BTreeSet::new();
        for seed in 0..24 {
            let text = format!("{declarations} int main(void) {{ r = {text}; return r & 127; }}");
            let options = farrier_front::Options::new(&farrier_lang::target::X86_64_LINUX);
            let input = farrier_lang::SourceText::new("test.c", text.as_str());
            let mut program = farrier_front::parse(&[input], &options).expect("it is C");
            let options = farrier_machine::Options::default();
            let ends = |program: &farrier_lang::Program| {
                let certified = farrier_machine::certify(program.clone(), &options);
                certified.unwrap_or_else(|verdict| panic!("{text}: {verdict:?}")).behavior().ending
            };
            let before = ends(&program);
            let guards = open_guards(&program, &[]);
            let asked = watch(&program, &guards, Discharge::Flip, &Watch::default());
            let profile = profile_of(&program, asked, &options).expect("it is defined");
            let (tally, _) = discharge_from(
                &mut program,
                Discharge::Flip,
                (&[], &Watch::default()),
                Known::Now(profile),
                &options,
                &mut Choices::new(seed),
            )
            .expect("it is defined");
            assert_eq!((tally.kept, tally.runs), (0, 1), "{text}");
            assert_eq!(ends(&program), before, "{text}");
            let printed = farrier_lang::print::print(&program, &Default::default());
            let (_, printed) = printed.rsplit_once("r = ").expect("it is assigned");
            different.insert(printed.to_owned());
        }
        let few = text.contains("cast") || text.contains("neg");
        assert!(few || different.len() > 2, "{text} becomes {different:?}");
    }
}

/// All forms that the table can make of an operation at 4 bits, and more.
fn forms(operation: Operation) -> Vec<Form> {
    let Operator::Binary(own) = operation.operator else {
        let unary = [UnaryOp::Plus, UnaryOp::BitNot].map(Form::Unary);
        return unary.into_iter().chain([Form::UnsignedMinus]).collect();
    };
    let largest = |ty: IntegerType| ty.max() as i128;
    let mut left_steps = vec![None];
    for constant in 1..=largest(operation.left) {
        left_steps.extend([Some(Step::add(constant)), Some(Step::add(-constant))]);
    }
    let mut right_steps = vec![[None; 2]];
    for constant in 1..=largest(operation.right) {
        right_steps.extend([
            [Some(Step::add(constant)), None],
            [Some(Step::add(-constant)), None],
            [Some(Step::and(constant)), None],
            [Some(Step::or(constant)), None],
            [Some(Step::and(constant)), Some(Step::or(1 + constant % 3))],
        ]);
    }
    let bits = [BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor];
    let mut all: Vec<Form> = bits.map(Form::operator).to_vec();
    if own.is_shift() {
        all.extend([BinaryOp::Shl, BinaryOp::Shr].map(Form::operator));
    } else {
        all.extend(BINARY.into_iter().filter(|op| !op.is_shift()).map(Form::operator));
    }
    for left in left_steps {
        all.push(Form::Binary { op: own, left, right: [None; 2], unsigned: false });
    }
    // Unsigned division is another operation, not one that fails less.
    let unsigned = operation.left.signed && !matches!(own, BinaryOp::Div | BinaryOp::Rem);
    for right in right_steps {
        all.push(Form::Binary { op: own, left: None, right, unsigned: false });
        if unsigned {
            all.push(Form::Binary { op: own, left: None, right, unsigned: true });
        }
    }
    all
}

/// Where a form fails: sums over all pairs below and to the left, so that any
/// rectangle of operands is one question.
struct Failures {
    sums: [[u32; 17]; 17],
    operation: Operation,
}

impl Failures {
    fn new(operation: Operation, form: Form) -> Self {
        let mut sums = [[0; 17]; 17];
        for (i, left) in values(operation.left).enumerate() {
            for (j, right) in values(operation.right).enumerate() {
                let fails = evaluate(form, operation, left, right).is_err();
                sums[i + 1][j + 1] =
                    sums[i][j + 1] + sums[i + 1][j] + u32::from(fails) - sums[i][j];
            }
        }
        Self { sums, operation }
    }

    fn within(&self, left: &Seen, right: &Seen) -> u32 {
        let at = |ty: IntegerType, value: i128| (value - ty.min()) as usize;
        let (l0, l1) = (at(self.operation.left, left.low), at(self.operation.left, left.high) + 1);
        let (r0, r1) =
            (at(self.operation.right, right.low), at(self.operation.right, right.high) + 1);
        self.sums[l1][r1] + self.sums[l0][r0] - self.sums[l0][r1] - self.sums[l1][r0]
    }
}

fn ranges(ty: IntegerType) -> Vec<Seen> {
    values(ty).flat_map(|low| (low..=ty.max() as i128).map(move |high| range(low, high))).collect()
}

/// A form that is said to fit a range of operands fails for none of them, and one that
/// is said to be certain fails for none at all. That forms are not refused without need
/// is the next test.
#[test]
fn what_fits_never_fails() {
    let mut refused = 0;
    for operation in operations() {
        let (lefts, rights) = (ranges(operation.left), ranges(operation.right));
        for form in forms(operation) {
            let failures = Failures::new(operation, form);
            if failures.sums[16][16] == 0 {
                continue;
            }
            assert!(!form.is_certain(operation), "{form:?} of {operation:?}");
            for left in &lefts {
                for right in &rights {
                    if failures.within(left, right) > 0 {
                        refused += 1;
                        let fits = form.fits(operation, left, right);
                        assert!(!fits, "{form:?} of {operation:?}, {left:?}, {right:?}");
                    }
                }
            }
        }
    }
    assert!(refused > 1_000_000, "only {refused} cases fail at all");
}

/// For single values nothing that would be good is refused.
#[test]
fn what_does_not_fail_fits_single_values() {
    for operation in operations() {
        for form in forms(operation) {
            for left in values(operation.left) {
                for right in values(operation.right) {
                    let good = evaluate(form, operation, left, right).is_ok();
                    let (a, b) = (one(operation.left, left), one(operation.right, right));
                    let fits = form.fits(operation, &a, &b);
                    assert_eq!(fits, good, "{form:?} of {operation:?}, {left}, {right}");
                }
            }
        }
    }
}

/// What the table chooses for operands that make an operation fail does not fail, for
/// every operation, every pair of single operands and many draws; and every row is
/// used. The comparison rows are asked for the operands that comparisons have.
#[test]
fn the_table_repairs_every_failure() {
    let mut choices = Choices::new(1);
    let mut used = vec![0; ROWS.len()];
    let mut failures = 0;
    for operation in operations() {
        for left in values(operation.left) {
            for right in values(operation.right) {
                if original(operation, left, right).is_ok() {
                    continue;
                }
                failures += 1;
                for draw in 0..32 {
                    let site = Site {
                        operation,
                        left: Some(one(operation.left, left)),
                        right: Some(one(operation.right, right)),
                        comparison: right == 0 && draw % 2 == 0,
                    };
                    let certain = draw % 4 == 3;
                    let (row, form) =
                        choose(&site, certain, &mut choices).expect("there is always a row");
                    let index = ROWS.iter().position(|entry| std::ptr::eq(entry, row));
                    used[index.expect("it is of the table")] += 1;
                    let result = evaluate(form, operation, left, right);
                    assert!(result.is_ok(), "{form:?} of {operation:?}, {left}, {right}");
                    assert!(!certain || form.is_certain(operation), "{form:?} of {operation:?}");
                }
            }
        }
    }
    assert!(failures > 500, "only {failures} pairs fail");
    let unused: Vec<usize> = (0..ROWS.len()).filter(|row| used[*row] == 0).collect();
    assert!(unused.is_empty(), "rows that are never used: {unused:?}");
}

/// The same for ranges of operands, of which some make the operation fail, and for
/// operands of which nothing is known.
#[test]
fn the_table_repairs_ranges() {
    let mut choices = Choices::new(2);
    for operation in operations() {
        let (lefts, rights) = (ranges(operation.left), ranges(operation.right));
        for left in &lefts {
            for right in &rights {
                let pairs = || {
                    (left.low..=left.high)
                        .flat_map(|left| (right.low..=right.high).map(move |right| (left, right)))
                };
                if pairs().all(|(left, right)| original(operation, left, right).is_ok()) {
                    continue;
                }
                let (left, right) = (Some(left.clone()), Some(right.clone()));
                let site = Site { operation, left, right, comparison: false };
                let (_, form) = choose(&site, false, &mut choices).expect("there is always a row");
                for (left, right) in pairs() {
                    let result = evaluate(form, operation, left, right);
                    assert!(result.is_ok(), "{form:?} of {operation:?}, {left}, {right}");
                }
            }
        }
        let unknown = Site { operation, left: None, right: None, comparison: false };
        for _ in 0..8 {
            let (_, form) = choose(&unknown, false, &mut choices).expect("there is always a row");
            assert!(form.is_certain(operation), "{form:?} of {operation:?}");
        }
    }
}

/// The rows of the two papers, by what they make of the operands that the papers name.
#[test]
fn the_rows_of_the_papers_are_there() {
    let min = SIGNED.min();
    let signed = |op| Operation { operator: Operator::Binary(op), left: SIGNED, right: SIGNED };
    let minus = Operation { operator: Operator::Minus, left: SIGNED, right: SIGNED };
    for (operation, left, right, expected) in [
        (signed(BinaryOp::Add), 7, 1, Form::operator(BinaryOp::Sub)),
        (signed(BinaryOp::Sub), -8, 1, Form::operator(BinaryOp::Add)),
        (signed(BinaryOp::Mul), 7, 2, Form::operator(BinaryOp::Div)),
        (signed(BinaryOp::Mul), -1, min, Form::operator(BinaryOp::Sub)),
        (signed(BinaryOp::Div), 5, 0, Form::operator(BinaryOp::Mul)),
        (signed(BinaryOp::Div), 5, 0, Form::Complement),
        (signed(BinaryOp::Rem), 5, 0, Form::operator(BinaryOp::Mul)),
        (signed(BinaryOp::Div), min, -1, Form::operator(BinaryOp::Sub)),
        (signed(BinaryOp::Rem), min, -1, Form::operator(BinaryOp::Sub)),
        (minus, min, min, Form::Unary(UnaryOp::Plus)),
    ] {
        let site = Site {
            operation,
            left: Some(one(SIGNED, left)),
            right: Some(one(SIGNED, right)),
            comparison: right == 0,
        };
        let mut choices = Choices::new(3);
        let found = (0..100)
            .any(|_| choose(&site, false, &mut choices).is_some_and(|(_, form)| form == expected));
        assert!(found, "{expected:?} of {operation:?} with {left} and {right}");
    }
}
