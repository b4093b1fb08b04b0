//! How many instructions parsing and printing take, and how they grow with the size.
//!
//! This program runs itself under valgrind with and without the work and subtracts.
//! Unlike times, the counts are the same on a busy machine, so that one run is enough
//! to see a change of one per cent.

#![expect(clippy::print_stdout, reason = "the figures are the purpose")]
#![expect(clippy::disallowed_methods, reason = "a benchmark is not part of the pure crate")]

#[path = "shared/programs.rs"]
mod programs;

use farrier_lang::SourceText;
use std::hint::black_box;
use std::process::{Command, Stdio};

/// By how much a byte may cost more when it comes later in a longer text.
const GROWTH_LIMIT: f64 = 1.1;

/// What the child does with its programs.
const LOAD: &str = "load";
const PARSE: &str = "parse";
const PRINT: &str = "print";

/// The programs of the child: all, or one repeated so many times.
fn inputs(copies: usize) -> Vec<SourceText> {
    if copies == 0 { programs::programs() } else { vec![programs::repeated(copies)] }
}

/// Runs under valgrind. Nothing is freed: that is not part of the work.
fn child(work: &str, copies: usize) {
    for input in inputs(copies) {
        black_box(&input);
        if work != LOAD {
            let program = black_box(programs::parse(&input));
            if work == PRINT {
                std::mem::forget(black_box(programs::print(&program)));
            }
            std::mem::forget(program);
        }
    }
}

/// The number of instructions of a child.
fn count(work: &str, copies: usize) -> f64 {
    let this = std::env::current_exe().expect("this program has a path");
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(this)
        .args(["child", work, &copies.to_string()])
        .stdin(Stdio::null())
        .output()
        .expect("the instructions are counted by valgrind: install it");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    // ==123== I   refs:      28,123,123
    let counted = messages.lines().find_map(|line| {
        let (before, after) = line.split_once("refs:")?;
        before.trim_end().ends_with('I').then(|| after.trim().replace(',', ""))
    });
    let counted = counted.unwrap_or_else(|| panic!("valgrind does not count:\n{messages}"));
    counted.parse().expect("valgrind prints a number")
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, mode, work, copies] = &arguments[..]
        && mode == "child"
    {
        let copies = copies.parse().expect("the parent passes a number");
        return programs::with_stack(|| child(work, copies));
    }
    let bytes = |copies| programs::total_bytes(&inputs(copies)) as f64;
    let all = bytes(0);
    let (load, parse, print) = (count(LOAD, 0), count(PARSE, 0), count(PRINT, 0));
    println!("programs: {} of Csmith, {all} bytes", programs::SEEDS.count());
    println!("instructions, parse: {:.1} per byte of text", (parse - load) / all);
    println!("instructions, print: {:.1} per byte of parsed text", (print - parse) / all);
    // What each longer text adds: the headers, cheaper than programs, cancel out.
    let costs = [1, 2, 4].map(|copies| (count(PARSE, copies) - count(LOAD, copies), bytes(copies)));
    let added =
        |from: usize, to: usize| (costs[to].0 - costs[from].0) / (costs[to].1 - costs[from].1);
    let (second, further) = (added(0, 1), added(1, 2));
    println!(
        "linearity: {second:.1} instructions per byte of the second copy of a program, \
         {further:.1} of the third and fourth; ratio {:.3}",
        further / second
    );
    assert!(
        further <= second * GROWTH_LIMIT,
        "the cost of parsing grows faster than the size of the text"
    );
}
