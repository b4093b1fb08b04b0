//! Every rewrite of a floating operation, on all numbers of a format with four digits.
//!
//! The numbers are so small that the host computes with them exactly, so that nothing here
//! uses the arithmetic that the rows use.

use super::*;

/// Multiples of a quarter below 64.
const TOY: Format = Format { digits: 4, least: -2, most: 6 };

/// Multiples of one half below 16.
const NARROW: Format = Format { digits: 3, least: -1, most: 4 };

const INTEGERS: [IntegerType; 2] =
    [IntegerType { signed: true, bits: 4 }, IntegerType { signed: false, bits: 3 }];

const WIDE: [IntegerType; 2] =
    [IntegerType { signed: true, bits: 7 }, IntegerType { signed: false, bits: 6 }];

/// All numbers of a format: an odd number and a power of two.
fn values(format: Format) -> Vec<Dyadic> {
    let mut all = vec![Dyadic::ZERO];
    for exponent in format.least..format.most {
        for mantissa in (1..1 << format.digits).step_by(2) {
            if real(Dyadic::new(mantissa, exponent)) < f64::from(1 << format.most) {
                all.extend([mantissa, -mantissa].map(|mantissa| Dyadic::new(mantissa, exponent)));
            }
        }
    }
    all
}

fn integers(ty: IntegerType) -> std::ops::RangeInclusive<i128> {
    ty.min()..=ty.max() as i128
}

fn real(number: Dyadic) -> f64 {
    number.mantissa as f64 * f64::from(number.exponent).exp2()
}

/// Whether a format has a number, by trying all of its digits.
fn has(format: Format, number: f64) -> bool {
    let unit = f64::from(format.least).exp2();
    let mut magnitude = number.abs() / unit;
    if magnitude.fract() != 0.0 || number.abs() >= f64::from(format.most).exp2() {
        return false;
    }
    while magnitude >= f64::from(1 << format.digits) {
        if magnitude % 2.0 != 0.0 {
            return false;
        }
        magnitude /= 2.0;
    }
    true
}

/// `left op right` if the format has it.
fn exactly(format: Format, op: BinaryOp, left: f64, right: f64) -> Option<f64> {
    let result = match op {
        Add => left + right,
        Sub => left - right,
        Mul => left * right,
        // A quotient of the host may be rounded.
        _ => Some(left / right).filter(|quotient| quotient * right == left)?,
    };
    has(format, result).then_some(result)
}

fn stepped(format: Format, step: Option<Step>, number: f64) -> Option<f64> {
    let Some(step) = step else { return Some(number) };
    let constant = real(step.constant);
    if !has(format, constant) {
        return None;
    }
    exactly(format, step.op, number, constant)
}

/// Whether a form is exact for operands: the meaning that [`Form`] states.
fn is_exact(form: Form, operation: Operation, left: f64, right: f64) -> bool {
    match (form, operation) {
        (Form::Left(None) | Form::Right, _) => true,
        (
            Form::Comparison(_) | Form::Test(..),
            Operation::Binary(_, to) | Operation::Narrow(_, to),
        ) => has(to, 0.0) && has(to, 1.0),
        (Form::Test(..), Operation::ToInteger(_, ty)) => ty.contains(0) && ty.contains(1),
        (Form::Binary { op, left: before, right: beside }, Operation::Binary(_, format)) => {
            let (left, right) = (stepped(format, before, left), stepped(format, beside, right));
            left.zip(right).is_some_and(|(left, right)| exactly(format, op, left, right).is_some())
        }
        (Form::Left(step), Operation::Binary(_, format)) => stepped(format, step, left).is_some(),
        (Form::Converted(step), Operation::Narrow(from, to)) => {
            stepped(from, Some(step), left).is_some_and(|number| has(to, number))
        }
        (Form::Converted(step), Operation::ToInteger(from, ty)) => stepped(from, Some(step), left)
            .is_some_and(|number| number.fract() == 0.0 && ty.contains(number as i128)),
        (Form::Integer(op, constant), Operation::FromInteger(ty, to)) => {
            let number = left as i128;
            let wide = IntegerType { signed: true, bits: 64 };
            assert!(ty.contains(number), "{number}");
            wide.binary(op, number, constant).is_ok_and(|number| has(to, number as f64))
        }
        (form, operation) => panic!("{form:?} is no form of {operation:?}"),
    }
}

/// Whether the operation itself is exact.
fn succeeds(operation: Operation, left: f64, right: f64) -> bool {
    match operation {
        Operation::Binary(op, format) => exactly(format, op, left, right).is_some(),
        Operation::Narrow(_, to) | Operation::FromInteger(_, to) => has(to, left),
        Operation::ToInteger(_, ty) => left.fract() == 0.0 && ty.contains(left as i128),
    }
}

/// All operations, with the numbers of their operands.
fn operations() -> Vec<(Operation, Vec<Dyadic>, Vec<Dyadic>)> {
    let all = values(TOY);
    let mut operations = Vec::new();
    for op in [Add, Sub, Mul, Div] {
        operations.push((Operation::Binary(op, TOY), all.clone(), all.clone()));
    }
    let none = vec![Dyadic::ZERO];
    operations.push((Operation::Narrow(TOY, NARROW), all.clone(), none.clone()));
    for ty in INTEGERS {
        operations.push((Operation::ToInteger(TOY, ty), all.clone(), none.clone()));
    }
    for ty in WIDE {
        let numbers = integers(ty).map(|number| Dyadic::new(number, 0)).collect();
        operations.push((Operation::FromInteger(ty, NARROW), numbers, none.clone()));
    }
    operations
}

/// All forms of an operation whose constants are numbers of the format.
fn forms(operation: Operation) -> Vec<Form> {
    let all = values(TOY);
    let steps = all
        .iter()
        .filter(|number| number.mantissa > 0)
        .flat_map(|constant| [Add, Sub, Mul, Div].map(|op| Step { op, constant: *constant }));
    match operation {
        Operation::Binary(own, _) => {
            let mut forms: Vec<Form> = BinaryOp::COMPARISONS.map(Form::Comparison).to_vec();
            forms.extend([Form::Left(None), Form::Right]);
            for op in [Add, Sub, Mul, Div] {
                forms.push(Form::Binary { op, left: None, right: None });
            }
            for step in steps {
                let step = Some(step);
                forms.push(Form::Left(step));
                forms.push(Form::Binary { op: own, left: step, right: None });
                forms.push(Form::Binary { op: own, left: None, right: step });
            }
            forms
        }
        Operation::FromInteger(..) => (1..=64)
            .flat_map(|constant| [BitAnd, Rem, Div].map(|op| Form::Integer(op, constant)))
            .collect(),
        _ => {
            let tests = BinaryOp::COMPARISONS;
            let tests = tests.into_iter().flat_map(|op| {
                all.iter().map(move |constant| Form::Test(op, *constant)).collect::<Vec<_>>()
            });
            steps.map(Form::Converted).chain(tests).collect()
        }
    }
}

/// A form that is said to fit is exact, one that is exact for one pair of operands fits, and one
/// that is said to be certain is exact for all: every form, every operand.
#[test]
fn forms_fit_exactly_where_they_are_exact() {
    let (mut good, mut bad) = (0_u32, 0_u32);
    for (operation, lefts, rights) in operations() {
        for form in forms(operation) {
            let certain = form.is_certain(operation);
            for left in &lefts {
                for right in &rights {
                    let exact = is_exact(form, operation, real(*left), real(*right));
                    if matches!(form, Form::Integer(..)) {
                        // Of integers nothing is known but their type.
                        assert!(exact || !certain, "{form:?} of {operation:?}, {left:?}");
                    } else {
                        let fits = form.fits(operation, &[*left], &[*right]);
                        assert_eq!(fits, exact, "{form:?} of {operation:?}, {left:?}, {right:?}");
                        assert!(exact || !certain, "{form:?} of {operation:?}");
                    }
                    *(if exact { &mut good } else { &mut bad }) += 1;
                }
            }
        }
    }
    assert!(good > 1_000_000 && bad > 1_000_000, "{good} good, {bad} bad");
}

/// Several numbers fit if all pairs do.
#[test]
fn several_numbers_fit_together() {
    let all = values(TOY);
    let mut choices = Choices::new(1);
    for (operation, lefts, rights) in operations() {
        for form in forms(operation).into_iter().step_by(7) {
            let mut some = |numbers: &[Dyadic]| [(); 3].map(|()| choices.pick(numbers));
            let (left, right) = (some(&lefts), some(&rights));
            let pairs = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
            let expected =
                pairs.into_iter().all(|(left, right)| form.fits(operation, &[*left], &[*right]));
            assert_eq!(form.fits(operation, &left, &right), expected, "{form:?}");
        }
    }
    assert!(all.len() > 50, "only {} numbers", all.len());
}

/// What the table chooses for operands that make an operation round does not round, for every
/// operation and all pairs of operands; and every row is used.
#[test]
fn the_table_repairs_every_failure() {
    let mut choices = Choices::new(2);
    let mut used = vec![0; ROWS.len()];
    let mut failures = 0;
    for (operation, lefts, rights) in operations() {
        for left in &lefts {
            for right in &rights {
                if succeeds(operation, real(*left), real(*right)) {
                    continue;
                }
                failures += 1;
                for draw in 0..8 {
                    let integer = matches!(operation, Operation::FromInteger(..));
                    let site = Site {
                        operation,
                        left: Some(vec![*left]).filter(|_| !integer),
                        right: Some(vec![*right]),
                        acts: draw % 2 == 0,
                        constants: None,
                    };
                    let certain = draw % 4 == 3;
                    let (row, form) =
                        choose(&site, certain, &mut choices).expect("there is always a row");
                    let index = ROWS.iter().position(|entry| std::ptr::eq(entry, row));
                    used[index.expect("it is of the table")] += 1;
                    let exact = is_exact(form, operation, real(*left), real(*right));
                    assert!(exact, "{form:?} of {operation:?}, {left:?}, {right:?}");
                    assert!(!certain || form.is_certain(operation), "{form:?} of {operation:?}");
                    assert!(!site.acts || !matches!(form, Form::Left(Some(_))), "{form:?}");
                }
            }
        }
        let unknown = Site { operation, left: None, right: None, acts: true, constants: None };
        for _ in 0..8 {
            let (_, form) = choose(&unknown, false, &mut choices).expect("there is always a row");
            assert!(form.is_certain(operation), "{form:?} of {operation:?}");
        }
    }
    assert!(failures > 5_000, "only {failures} pairs fail");
    let unused: Vec<usize> = (0..ROWS.len()).filter(|row| used[*row] == 0).collect();
    assert!(unused.is_empty(), "rows that are never used: {unused:?}");
}
