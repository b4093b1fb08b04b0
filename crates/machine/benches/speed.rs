//! How many operations a second the machine executes, without and with a profile.
//!
//! `cargo bench -p farrier-machine`

#![expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

use std::time::Instant;

use farrier_front::Options as FrontOptions;
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, STACK_BYTES, SourceText};
use farrier_machine::{Options, Verdict, Watch, run};

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

fn main() {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(measure);
    thread.expect("a thread starts").join().expect("the measurement ends");
}

fn measure() {
    let options = FrontOptions { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let input = SourceText::new("speed.c", PROGRAM);
    let program = farrier_front::parse(&[input], &options).expect("the program is right");
    let mut speeds = [0.0_f64; 2];
    let mut seconds = [f64::INFINITY; 2];
    for _ in 0..5 {
        for (index, profile) in [None, Some(Watch::everything())].into_iter().enumerate() {
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
    assert!(speeds[0] >= 30.0 && slowdown <= 3.0, "a goal is missed");
}
