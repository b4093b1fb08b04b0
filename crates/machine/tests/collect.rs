//! The collecting run: every fault of a program is named in one run.

#![expect(clippy::disallowed_methods, reason = "the programs of the corpora are files")]

#[path = "support/agreement.rs"]
mod agreement;
#[expect(dead_code, reason = "the test of the corpora also compiles its programs")]
#[path = "support/programs.rs"]
mod programs;

use farrier_front::Options as FrontOptions;
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, Program, SourceText};
use farrier_machine::{Collected, Fault, Options, Rule, UbKind, Verdict, Watch, collect, run};

use self::agreement::disagreement;
use self::programs::{case, check_all, files, read};

fn parse(text: &str) -> Program {
    let options = FrontOptions { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let input = SourceText::new("test.c", text);
    farrier_front::parse(&[input], &options)
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message))
}

fn collected(text: &str) -> (Program, Collected) {
    let program = parse(text);
    let options = Options { steps: 1_000_000, ..Options::default() };
    let collected = collect(&program, &options);
    (program, collected)
}

/// The line of a fault, its rule and the name of its object.
fn described(program: &Program, fault: &Fault) -> (u32, String, String) {
    let span = fault.at.span(program).expect("the program came from text");
    let line = program.sources.place(span).expect("the place is in the text").line;
    let rule = match fault.rule {
        Rule::Undefined(kind) => kind.name(),
        Rule::Unspecified(cause) => cause.name(),
    };
    let name = fault.object.and_then(|object| program[object].name);
    let name = name.map_or("", |name| program.text(name));
    (line, rule.to_owned(), name.to_owned())
}

/// The marks `//~ RULE OBJECT` of a text, with their lines.
fn marks(text: &str) -> Vec<(u32, String, String)> {
    let lines = (1..).zip(text.lines());
    let marks = lines.filter_map(|(line, text)| Some((line, text.split_once("//~")?.1)));
    let words = marks.map(|(line, mark)| {
        let mut words = mark.split_whitespace().map(str::to_owned);
        (line, words.next().expect("a rule"), words.next().unwrap_or_default())
    });
    words.collect()
}

/// Wants the marked faults, in any order of lines, and a run that comes to the end.
#[track_caller]
fn names_marked(text: &str) {
    let (program, collected) = collected(text);
    let mut found: Vec<_> =
        collected.faults.iter().map(|fault| described(&program, fault)).collect();
    found.sort();
    assert_eq!(found, marks(text), "{:#?}", collected.faults);
    assert_eq!(collected.stopped, None);
}

#[test]
fn ten_planted_faults_are_named_in_one_run() {
    names_marked(
        "int global;
int table[4];
int *keep;
static int set(int value) { global = value; return value; }
static int nothing(int n) { if (n > 100) return 1; }
static void leave(void) { int gone = 3; keep = &gone; }
int main(void) {
    int top = 2147483647, zero = 0, forty = 40, i = 1, missing;
    int *null = 0;
    int sum = top + 1; //~ signed-overflow
    sum += top / zero; //~ division-by-zero
    sum += 1 << forty; //~ shift-count
    sum += missing; //~ uninitialised missing
    sum += *null; //~ null-dereference
    sum += table[forty]; //~ out-of-bounds table
    leave();
    sum += *keep == 0; //~ dangling gone
    sum += i++ + i; //~ unsequenced i
    sum += set(1) + set(2); //~ order global
    sum += nothing(1); //~ missing-return
    sum ^= (int)1e30; //~ float-to-integer
    return 0;
}
",
    );
}

#[test]
fn a_fault_in_a_loop_is_named_once() {
    names_marked(
        "int main(void) {
    int top = 2147483647, missing, sum = 0;
    for (int i = 0; i < 1000; i++) {
        sum ^= top + i; //~ signed-overflow
        sum ^= missing; //~ uninitialised missing
    }
    return sum != 0;
}
",
    );
}

#[test]
fn one_mistake_is_named_once() {
    names_marked(
        "void *malloc(unsigned long);
void free(void *);
int printf(const char *, ...);
struct list { int value; struct list *next; int low : 3, high : 5; };
struct row { int cells[4]; };
int total, grid[3][4];
static struct row make(int k) { struct row row = {{k}}; if (k) return row; }
static int *gone(void) { int local = 5; return &local; }
static int call(int (*f)(int), int v) { return f(v); } //~ null-dereference
static int add(int a, int b) { return a + b; }
static char same(char byte) { return byte; }
static void reach(struct row row, int more, ...) { total += row.cells[0] + more; }
int main(void) {
  struct list *null = 0, some;
  struct row *nowhere = 0, row;
  int seven = 7, three = 3, *wild, *far;
  char byte, *hidden = &byte;
  int variable[three];
  const int fixed = 4;
  some.low = 1, (void)hidden;
  total += null->value; //~ null-dereference
  null->value = 3; //~ null-dereference
  row = *nowhere; //~ null-dereference
  *nowhere = row; //~ null-dereference
  reach(*nowhere, 1); //~ null-dereference
  reach(row, 1, *nowhere); //~ null-dereference
  total += some.high; //~ uninitialised some
  total += same(byte); //~ uninitialised byte
  total += grid[1][seven]; //~ out-of-bounds grid
  grid[seven][0] = 1; //~ out-of-bounds grid
  total += *wild; //~ uninitialised wild
  wild[2] = 1; //~ uninitialised wild
  variable[0] = 1;
  total += variable[seven]; //~ pointer-arithmetic variable
  total += *gone(); //~ dangling local
  total += make(0).cells[1]; //~ missing-return
  total += call(0, 3);
  total += ((int (*)(int))add)(3); //~ call-type
  printf(\"%d\\n\", 1.5); //~ bad-format
  free(&total); //~ bad-free total
  *(int *)&fixed = 5; //~ write-to-const fixed
  total += *(float *)&total > 0; //~ effective-type total
  grid[0][seven = 2] = seven; //~ unsequenced seven
  far = grid[0] + 9; //~ pointer-arithmetic grid
  far++;
  if (far) total += *far;
  for (struct list *each = null; each; each = each->next) total++;
  return 0;
}
",
    );
}

#[test]
fn some_faults_end_the_run() {
    let undefined = |kind| move |verdict: &Verdict| matches!(verdict, Verdict::Undefined(ub) if ub.kind == kind);
    let goto = "int main(void) { int x; void *p = &x; x++; goto *p; here: return 0; }";
    let (_, goto) = collected(goto);
    assert!(goto.stopped.as_ref().is_some_and(undefined(UbKind::ComputedGoto)), "{goto:?}");
    assert_eq!(goto.faults.len(), 2);
    let hang = "int main(void) { int x = 1, y; y++; while (x) x = 1; return 0; }";
    let program = parse(hang);
    let hang = collect(&program, &Options { steps: 10_000_000, ..Options::default() });
    assert!(hang.stopped.as_ref().is_some_and(undefined(UbKind::InfiniteLoop)), "{hang:?}");
    // It may be a consequence of the fault before it.
    assert_eq!(hang.faults.len(), 1);
    let (_, deep) = collected("int f(int n) { int m; return f(n) + m; } int main(void) { f(0); }");
    assert!(matches!(deep.stopped, Some(Verdict::Exhausted(_))), "{deep:?}");
    let abort = "int puts(const char *); void abort(void);\
        int main(void) { puts(\"x\"); abort(); return 1 / 0; }";
    let (_, abort) = collected(abort);
    assert!(matches!(abort.stopped, Some(Verdict::Unspecified(_))), "{abort:?}");
    assert_eq!(abort.faults.len(), 1);
}

#[test]
fn many_faults_take_no_longer_than_other_steps() {
    // Four million faults would take minutes, if each were one step.
    let text = "int main(void) { int m, s = 0; for (long i = 0; i < 1000000000; i++) s ^= m; }";
    let program = parse(text);
    let collected = collect(&program, &Options { steps: 4_000_000, ..Options::default() });
    assert_eq!(collected.faults.len(), 1);
    assert!(matches!(collected.stopped, Some(Verdict::Exhausted(_))), "{collected:?}");
}

#[test]
fn no_more_than_256_faults_are_kept() {
    let faults = "    sum ^= top + 1;\n".repeat(300);
    let text = format!("int main(void) {{ int top = 2147483647, sum = 0;\n{faults} return sum; }}");
    let (program, collected) = collected(&text);
    assert_eq!(collected.faults.len(), Collected::MOST_FAULTS);
    assert_eq!(collected.faults.len(), 256);
    let lines: Vec<u32> =
        collected.faults.iter().map(|fault| described(&program, fault).0).collect();
    assert_eq!(lines, (2..258).collect::<Vec<u32>>());
    assert_eq!(collected.stopped, None);
}

#[test]
fn the_first_fault_is_the_strict_verdict() {
    let faulty: Vec<_> = ["undefined", "unspecified", "unsupported"].map(files).concat();
    assert!(faulty.len() > 600, "only {} programs", faulty.len());
    check_all(&faulty, |path| {
        let (text, case) = case(path);
        let program = read(path, &text, &case)?;
        let more = Options { steps: 2 * case.machine.steps, ..case.machine.clone() };
        let (strict, collected) = (run(&program, &case.machine), collect(&program, &more));
        disagreement(&strict, &collected).map_or(Ok(()), Err)
    });
}

#[test]
fn a_defined_program_has_no_fault_and_the_same_profile() {
    check_all(&files("defined"), |path| {
        let (text, case) = case(path);
        let program = read(path, &text, &case)?;
        // A profile takes steps of its own.
        let steps = 4 * case.machine.steps;
        let strict = Options { profile: Some(Watch::everything()), steps, ..case.machine };
        let more = Options { steps: 2 * strict.steps, ..strict.clone() };
        let (strict, collected) = (run(&program, &strict), collect(&program, &more));
        if !matches!(strict.verdict, Verdict::Defined(_)) {
            return Err(format!("{:?}", strict.verdict));
        }
        disagreement(&strict, &collected).map_or(Ok(()), Err)
    });
}
