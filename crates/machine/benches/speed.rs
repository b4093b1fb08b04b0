//! How many operations a second the machine executes, without and with a profile, and with the
//! values of objects at every place.
//!
//! `cargo bench -p farrier-machine`

#![expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

use std::collections::BTreeMap;
use std::time::Instant;

use farrier_front::Options as FrontOptions;
use farrier_lang::scope::{self, ScopePoint, Visible};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, Program, STACK_BYTES, SourceText, StmtId};
use farrier_machine::{Options, Verdict, Watch, Watchpoint, run};

/// Arithmetic, calls, arrays, pointers and structs in the mixture that random programs have.
const PROGRAM: &str = "
struct s { int a; short b; unsigned char c; } table[16];
static unsigned mix(unsigned h, unsigned x) { return (h ^ x) * 16777619u; }
static int step(struct s *p, int i) { p->a += i; p->b = (short)(p->a & 0x3ff); p->c++; return p->b; }
int main(void) {
    unsigned hash = 2166136261u;
    int grid[8][8];
    for (int i = 0; i < 64; i++) grid[i / 8][i % 8] = i;
    for (int round = 0; round < 20000; round++) {
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                int *cell = &grid[i][j];
                *cell = (*cell * 3 + round) % 1009;
                hash = mix(hash, (unsigned)*cell);
            }
        hash = mix(hash, (unsigned)step(&table[round & 15], round & 7));
    }
    return (int)(hash & 0x7f);
}
";

/// What mutation asks for: so many places, so many objects at each, so many tuples of values.
const POINTS: usize = 256;
const OBJECTS: usize = 16;
const TUPLES: usize = 32;

/// For how many visits it is known what held for all tuples.
const VISITS: u64 = 10_000;

fn main() {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(measure);
    thread.expect("a thread starts").join().expect("the measurement ends");
}

fn measure() {
    let options = FrontOptions { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let input = SourceText::new("speed.c", PROGRAM);
    let program = farrier_front::parse(&[input], &options).expect("the program is right");
    let points = Watch { points: points(&program), ..Watch::everything() };
    let watches = [None, Some(Watch::everything()), Some(points)];
    let mut speeds = [0.0_f64; 3];
    let mut seconds = [f64::INFINITY; 3];
    for _ in 0..5 {
        for (index, profile) in watches.iter().cloned().enumerate() {
            let options = Options { profile, ..Options::default() };
            let start = Instant::now();
            let done = run(&program, &options);
            let time = start.elapsed().as_secs_f64();
            let Verdict::Defined(behavior) = done.verdict else { panic!("{:?}", done.verdict) };
            speeds[index] = speeds[index].max(behavior.steps as f64 / time / 1e6);
            seconds[index] = seconds[index].min(time);
        }
    }
    let slowdown = seconds[1] / seconds[0];
    println!("operations a second without a profile: {:.0} million (goal: at least 30)", speeds[0]);
    println!("operations a second with a profile:    {:.0} million", speeds[1]);
    println!("slowdown by the profile:               {slowdown:.2} (goal: at most 3)");
    let by_points = seconds[2] / seconds[1];
    println!("slowdown by points, beside a profile:  {by_points:.2} (goal: at most 2)");
    assert!(speeds[0] >= 30.0 && slowdown <= 3.0 && by_points <= 2.0, "a goal is missed");
}

/// Every statement, with the values of the scalar objects that are visible there.
fn points(program: &Program) -> BTreeMap<StmtId, Watchpoint> {
    let mut points = BTreeMap::new();
    for function in program.functions.ids() {
        scope::walk(program, function, &mut |stmt, at, scope| {
            let fits = |visible: &&Visible| {
                visible.certain && program.is_scalar(program[visible.object].ty)
            };
            let objects = scope.objects.iter().filter(fits).map(|visible| visible.object);
            let objects = objects.take(OBJECTS).collect();
            if at == ScopePoint::Before && points.len() < POINTS {
                points.insert(
                    stmt,
                    Watchpoint { objects, most: TUPLES, related: VISITS, ..Watchpoint::default() },
                );
            }
        });
    }
    points
}
