//! Promises about loops, against dependences that the test computes itself.

use farrier_front::Options as FrontOptions;
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, Program, SourceText};
use farrier_machine::{Options, UbKind, Verdict, run};

/// A loop of `rounds` rounds over one array: each reads one element and writes another.
#[derive(Clone, Copy, Debug)]
struct Sample {
    rounds: u64,
    write: (u64, u64),
    read: (u64, u64),
}

const ELEMENTS: u64 = 24;

impl Sample {
    /// The least distance of two rounds of which one writes what the other accesses.
    fn carried(self) -> Option<u64> {
        let at = |(factor, offset): (u64, u64), round| (factor * round + offset) % ELEMENTS;
        let mut least = None;
        for one in 0..self.rounds {
            for other in (0..self.rounds).filter(|other| *other != one) {
                let written = at(self.write, one);
                if written == at(self.write, other) || written == at(self.read, other) {
                    let distance = one.abs_diff(other);
                    least = Some(least.map_or(distance, |old: u64| old.min(distance)));
                }
            }
        }
        least
    }

    fn text(self, pragma: &str) -> String {
        let Self { rounds, write, read } = self;
        format!(
            "int a[{ELEMENTS}];\nint main(void) {{\n#pragma {pragma}\nfor (int i = 0; i < {rounds}; \
             i++)\na[({} * i + {}) % {ELEMENTS}] = a[({} * i + {}) % {ELEMENTS}] + i;\nreturn 0;\n}}\n",
            write.0, write.1, read.0, read.1
        )
    }
}

fn parse(text: &str) -> Program {
    let options = FrontOptions { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let input = SourceText::new("test.c", text);
    farrier_front::parse(&[input], &options)
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message))
}

fn is_kept(text: &str) -> bool {
    match run(&parse(text), &Options::default()).verdict {
        Verdict::Defined(_) => true,
        Verdict::Undefined(ub) if ub.kind == UbKind::BrokenPromise => false,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_promise_is_broken_exactly_where_rounds_depend_on_each_other() {
    let mut state = 1_u64;
    let mut draw = |limit: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let (mut kept, mut broken) = (0, 0);
    for _ in 0..300 {
        let sample = Sample {
            rounds: 1 + draw(20),
            write: (draw(4), draw(ELEMENTS)),
            read: (draw(4), draw(ELEMENTS)),
        };
        let carried = sample.carried();
        let safelen = 1 + draw(8);
        for (pragma, reach) in [
            ("GCC ivdep".to_owned(), u64::MAX),
            ("clang loop vectorize(assume_safety)".to_owned(), u64::MAX),
            ("omp simd".to_owned(), u64::MAX),
            (format!("omp simd safelen({safelen})"), safelen),
        ] {
            let expected = carried.is_none_or(|distance| distance > reach);
            let text = sample.text(&pragma);
            assert_eq!(is_kept(&text), expected, "{carried:?}\n{text}");
            if expected { kept += 1 } else { broken += 1 }
        }
    }
    assert!(kept > 200 && broken > 200, "{kept} kept, {broken} broken");
}
