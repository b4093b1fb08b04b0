//! How much memory parsing takes, as a multiple of the size of the text.

#![expect(clippy::print_stdout, reason = "the figures are the purpose")]
#![expect(clippy::disallowed_methods, reason = "a benchmark is not part of the pure crate")]

#[path = "shared/programs.rs"]
#[expect(dead_code, reason = "shared with the other benchmarks")]
mod programs;

use farrier_lang::SourceText;
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// No program may need more; a campaign parses many at a time.
const LIMIT: f64 = 40.0;

/// The peak of the heap while one program is parsed, the text itself apart, in units of
/// its size. When a vector grows, old and new count both.
fn peak_ratio(input: &SourceText) -> f64 {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let program = programs::parse(input);
    let peak = HEAP.peak_usage() - before;
    drop(program);
    peak as f64 / input.text.len() as f64
}

fn main() {
    let inputs = programs::programs();
    let ratios: Vec<f64> = programs::with_stack(|| inputs.iter().map(peak_ratio).collect());
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    println!("memory, parse: peak {mean:.1} bytes of heap per byte of text, at worst {worst:.1}");
    assert!(worst <= LIMIT, "parsing needs more than {LIMIT} times the size of the text");
}
