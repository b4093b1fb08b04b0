//! Compilers with known faults: texts are changed, and the machine runs them.

use farrier_lang::target::{AVR, X86_64_LINUX};
use farrier_lang::{Dialect, SourceText};
use farrier_machine::{Ending, certify, run};

use super::Number::Integer;
use super::*;
use crate::{Check, Config, generate};

fn read_for(text: &str, target: &'static farrier_lang::Target) -> Option<Program> {
    let input = SourceText::new("program.c", text);
    let options = farrier_front::Options { target, dialect: Dialect::C17, permissive: false };
    farrier_front::parse(&[input], &options).ok()
}

fn read(text: &str) -> Option<Program> {
    read_for(text, &X86_64_LINUX)
}

fn options() -> Options<'static> {
    Options { machine: Machine::default(), read: &read, tries: 100 }
}

/// Locates the fault of a compiler that reads texts as `fault` makes them.
fn locate_with(text: &str, fault: impl Fn(&str) -> String) -> Result<Located, Lost> {
    let program = read(text).unwrap_or_else(|| panic!("it is C: {text}"));
    let certified = certify(program, &Machine::default()).expect("it is defined");
    locate(&certified, &mut |checked| compiled(checked, &fault), &options())
}

fn compiled(checked: &Checked<'_>, fault: &impl Fn(&str) -> String) -> Seen {
    let honest = read(checked.text).expect("what is compiled is C");
    let certified = certify(honest, &Machine::default()).expect("what is compiled is certified");
    let expected = checked.certified.behavior();
    assert_eq!(certified.behavior(), expected);
    let Some(program) = read(&fault(checked.text)) else { return Seen::Unclear };
    match run(&program, &Machine { steps: 1_000_000, ..Machine::default() }) {
        run if matches!(&run.verdict, Verdict::Defined(found)
            if found.output == expected.output && found.ending == expected.ending) =>
        {
            Seen::Right
        }
        run => Seen::Wrong(run.output),
    }
}

const LOOP: &str = "\
int printf(const char *, ...);
int total;
static int twice(int x)
{
    int y = x << 1;
    return y;
}
int main(void)
{
    for (int i = 0; i != 5; i++) {
        int step = i;
        if (i == 3)
            step = twice(i);
        total += step;
    }
    printf(\"%d\\n\", total);
    return 0;
}
";

#[test]
fn the_first_wrong_value_is_found() {
    let located =
        locate_with(LOOP, |text| text.replace(" << ", " >> ")).expect("the shift is wrong");
    let Departure::Value { right, actual } = &located.departure else { panic!("{located:?}") };
    let Point { function, statement, line, what, variable } = &right.point;
    assert_eq!(
        (&function[..], &statement[..], *line, &what[..], &variable[..]),
        ("twice", "int y = x << 1;", Some(5), "the variable", "y")
    );
    assert_eq!((right.time, right.value, *actual), (1, Integer(6), Integer(1)));
    let before = located.before.expect("the parameter is right");
    assert_eq!((&before.point.what[..], before.value), ("the parameter", Integer(3)));
    assert_eq!(located.vanishing, []);
    assert_eq!(located.tries, 1, "all checks at once do not disturb this fault");
}

#[test]
fn the_first_wrong_floating_value_is_found() {
    let text = "\
int printf(const char *, ...);
static float half(float x)
{
    float y = x - 0.25f;
    return y;
}
int main(void)
{
    double nothing = 0.0;
    nothing = nothing / nothing;
    long double sum = half(0.75f);
    sum = sum + 0.1;
    printf(\"%d\\n\", sum > 0.55);
    return 0;
}
";
    let located = locate_with(text, |text| text.replace(" - 0.25f", " + 0.25f"));
    let located = located.expect("the subtraction is wrong");
    let Departure::Value { right, actual } = &located.departure else { panic!("{located:?}") };
    assert_eq!((&right.point.what[..], &right.point.variable[..]), ("the variable", "y"));
    assert_eq!([right.value, *actual].map(|it| it.to_string()), ["0x1p-1 (0.5)", "0x1p+0 (1.0)"]);
    let before = located.before.expect("the parameter is right");
    assert_eq!(
        (&before.point.variable[..], &before.value.to_string()[..]),
        ("x", "0x1.8p-1 (0.75)")
    );

    let located = locate_with(text, |text| text.replace("sum + 0.1", "sum + 0.1f"));
    let Departure::Value { right, .. } = located.expect("the sum is wrong").departure else {
        panic!("a value is wrong")
    };
    assert_eq!(right.point.variable, "sum");
    assert_eq!(right.value.to_string(), "0x1.3333333333333p-1 (0.6)");
}

#[test]
fn a_wrong_condition_is_found_at_its_time() {
    let located = locate_with(LOOP, |text| text.replace("i == 3", "i == 2")).expect("it is wrong");
    let Departure::Value { right, actual } = &located.departure else { panic!("{located:?}") };
    assert_eq!(right.point.what, "the condition");
    assert_eq!(right.point.variable, "i == 3");
    assert_eq!((right.time, right.value, *actual), (3, Integer(0), Integer(1)));
}

#[test]
fn a_wrong_constant_is_found() {
    let text = "int main(void)\n{\n    return 1 << 3 != 8;\n}\n";
    let located = locate_with(text, |text| text.replace("1 << 3", "1 >> 3")).expect("it is wrong");
    let Departure::Value { right, actual } = &located.departure else { panic!("{located:?}") };
    assert_eq!((&right.point.what[..], right.point.line), ("the returned value", Some(3)));
    assert_eq!((right.value, *actual), (Integer(0), Integer(1)));
}

#[test]
fn a_wrong_path_is_found() {
    let located = locate_with(LOOP, |text| text.replace("total += step;", "continue;"));
    let located = located.expect("a statement is missing");
    let Departure::Path { right, actual } = &located.departure else { panic!("{located:?}") };
    let right = right.as_ref().expect("there is one");
    assert_eq!((&right.point.variable[..], right.time), ("total", 1));
    assert_eq!(actual.variable, "i != 5");

    let goes_on = |text: &str| text.replace("(i == 3)", "(0)");
    let text = "int printf(const char *, ...);\nint i = 3, a, b;\nint main(void)\n{\n    \
                if (i == 3)\n        a = 1;\n    b = a;\n    printf(\"%d\\n\", b);\n    \
                return 0;\n}\n";
    // The condition with a check in it is not what this compiler knows.
    let located = locate_with(text, goes_on).expect("a branch is not taken");
    let Departure::Path { right, actual } = &located.departure else { panic!("{located:?}") };
    assert_eq!(right.as_ref().expect("there is one").point.variable, "a");
    assert_eq!(actual.variable, "b");
    assert_eq!(located.vanishing.len(), 1, "{located:?}");
    assert_eq!(located.vanishing[0].variable, "i == 3");
}

#[test]
fn a_fault_that_no_check_sees_is_behind_the_last() {
    let located =
        locate_with(LOOP, |text| text.replace("return 0;", "return 1;")).expect("it is wrong");
    assert_eq!(located.departure, Departure::Unseen { next: None });
    let before = located.before.expect("all values are right");
    assert_eq!((&before.point.variable[..], before.value), ("total", Integer(13)));
    // It ends too early, and not by what it computes.
    let located = locate_with(LOOP, |text| {
        text.replace("total += step;", "if (i == 4) __builtin_trap(); total += step;")
    });
    let located = located.expect("it ends too early");
    let Departure::Unseen { next: Some(next) } = &located.departure else { panic!("{located:?}") };
    assert_eq!((&next.point.variable[..], next.time), ("total", 5));
    let before = located.before.expect("something came before");
    assert_eq!((&before.point.what[..], before.time), ("the condition", 5));
}

#[test]
fn a_fault_that_vanishes_with_checks_is_called_so() {
    // It is there only as long as `y` is not looked at.
    let shy = |text: &str| match text.contains(", y);") {
        true => text.to_owned(),
        false => text.replace(" << ", " >> "),
    };
    let located = locate_with(LOOP, shy).expect("other checks do not disturb it");
    let Departure::Value { right, .. } = &located.departure else { panic!("{located:?}") };
    assert_eq!(right.point.function, "main");
    assert_eq!(right.point.variable, "step");
    let names: Vec<&str> = located.vanishing.iter().map(|point| &point.variable[..]).collect();
    assert_eq!(names, ["y", "y"], "the variable, and what is returned");

    let gone = |text: &str| match text.matches("farrier_check(").count() {
        ..=2 => text.replace(" << ", " >> "),
        _ => text.to_owned(),
    };
    assert_eq!(locate_with(LOOP, gone), Err(Lost::Vanishes));
    assert_eq!(locate_with(LOOP, str::to_owned), Err(Lost::NotWrong));
    let nothing = "int main(void)\n{\n    return 0;\n}\n";
    assert_eq!(locate_with(nothing, str::to_owned), Err(Lost::NoPoints));
}

#[test]
fn values_that_cannot_be_read_again_are_left_out() {
    let text = "int printf(const char *, ...);\nint a[3] = {2, 9, 9};\nint main(void)\n{\n    \
                a[a[0]] = 1;\n    a[a[0] - 2] = 7;\n    volatile int v = 1;\n    v = 2;\n    \
                int b = 3;\n    printf(\"%d\\n\", a[2] + b);\n    return 0;\n}\n";
    let located = locate_with(text, |text| text.replace("int b = 3", "int b = 4"));
    let located = located.expect("b is wrong");
    let Departure::Value { right, .. } = &located.departure else { panic!("{located:?}") };
    assert_eq!(right.point.variable, "b");
    // `a[a[0] - 2]` is out of bounds once `a[0]` is 7.
    assert_eq!(located.checked, (3, 4));
}

#[test]
fn generated_programs_can_be_checked_everywhere() {
    // In those of 8 and, for AVR, of 5 some checks have no order.
    for (seed, target) in [(3, &X86_64_LINUX), (8, &X86_64_LINUX), (5, &AVR)] {
        let check =
            if target.environment.prints_long_long { Check::Checksum } else { Check::Asserts };
        let config = Config { target, check, size: 6_000, ..Config::default() };
        let text = generate(seed, &config).expect("it can be made").files.remove(0).text;
        let program = read_for(&text, target).expect("it is C");
        let certified = certify(program, &Machine::default()).expect("it is certified");
        let mut texts = Vec::new();
        let read = |text: &str| read_for(text, target);
        let options = Options { machine: Machine::default(), read: &read, tries: 4 };
        let mut compile = |checked: &Checked<'_>| {
            assert_eq!(checked.certified.behavior().ending, Ending::Exit(0));
            texts.push(checked.text.to_owned());
            Seen::Right
        };
        assert_eq!(locate(&certified, &mut compile, &options), Err(Lost::NotWrong));
        assert_eq!(texts.len(), 2);
        let calls = texts[0].matches("farrier_check(").count();
        assert!(calls > 12, "{calls} calls of the check in\n{}", texts[0]);
    }
}
