//! How fast programs are parsed and printed: time, by criterion.

#![expect(clippy::disallowed_methods, reason = "a benchmark is not part of the pure crate")]

#[path = "shared/programs.rs"]
#[expect(dead_code, reason = "shared with the other benchmarks")]
mod programs;

use criterion::{Criterion, Throughput};
use farrier_lang::Program;

fn speed(criterion: &mut Criterion) {
    let inputs = programs::programs();
    let mut group = criterion.benchmark_group("front");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(programs::total_bytes(&inputs) as u64));
    group.bench_function("parse", |bencher| {
        bencher.iter_with_large_drop(|| -> Vec<Program> {
            inputs.iter().map(programs::parse).collect()
        });
    });
    let parsed: Vec<Program> = inputs.iter().map(programs::parse).collect();
    let print = || -> Vec<String> { parsed.iter().map(programs::print).collect() };
    group.throughput(Throughput::Bytes(print().iter().map(|text| text.len() as u64).sum()));
    group.bench_function("print", |bencher| {
        bencher.iter_with_large_drop(print);
    });
    group.finish();
}

fn main() {
    programs::with_stack(|| {
        let mut criterion = Criterion::default().configure_from_args();
        speed(&mut criterion);
        criterion.final_summary();
    });
}
