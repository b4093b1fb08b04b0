//! Prints the program of a seed: `cargo run -p farrier-synth --example gen -- 1 80000`
use farrier_synth::{Config, generate};

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "an example"
)]
fn main() {
    let mut args = std::env::args().skip(1);
    let seed = args.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let size = args.next().and_then(|text| text.parse().ok()).unwrap_or(80_000);
    let config = Config { size, ..Config::default() };
    let thread =
        std::thread::Builder::new().stack_size(256 << 20).spawn(move || generate(seed, &config));
    match thread.expect("a thread").join().expect("no panic") {
        Ok(made) => {
            let run = farrier_machine::run(
                made.certified.program(),
                &farrier_machine::Options { profile: true, ..Default::default() },
            );
            let profile = run.profile.unwrap();
            let program = made.certified.program();
            let live = program.stmts.ids().filter(|id| profile.stmt(*id) > 0).count();
            let steps = made.certified.behavior().steps;
            eprintln!("live {live} of {} steps {steps}", program.stmts.len());
            eprintln!("{:?} {:#?}", made.tally, made.refused);
            print!("{}", made.files[0].text);
        }
        Err(refused) => eprintln!("refused {refused:#?}"),
    }
}
