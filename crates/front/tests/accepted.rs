//! Programs that the front end must read, one file a feature.
//!
//! Each file in `tests/accepted` parses into a well-formed program whose text reads back
//! as an equal one and compiles. Where it has a `main`, the original and the printed
//! program check themselves: both return 0. Comments on the first lines choose options:
//! `// std: c23`, `// target: avr`, `// permissive`, `// compiler: clang`,
//! `// compiler: none`.

#![expect(clippy::disallowed_methods, reason = "programs are compared with what a compiler makes")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, thread};

use farrier_front::{Options, parse};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{Dialect, Program, STACK_BYTES, SourceText, Target, shape, target, well_formed};

/// What the first lines of a file ask for.
struct Case {
    options: Options,
    /// `None` if the file needs a newer one than the packages have.
    compiler: Option<&'static str>,
    flags: Vec<&'static str>,
    runs: bool,
}

fn case(text: &str) -> Case {
    let mut options =
        Options { target: &target::X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let mut compiler = Some("gcc");
    for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
        let value = |key: &str| line.strip_prefix(key).map(str::trim);
        if let Some(name) = value("std:") {
            let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.name() == name);
            options.dialect = dialect.expect("a dialect");
        } else if let Some(name) = value("target:") {
            options.target = Target::by_name(name).expect("a target");
        } else if let Some(name) = value("compiler:") {
            compiler = match name {
                "clang" => Some("clang"),
                "none" => None,
                _ => panic!("there is no compiler {name}"),
            };
        } else if line == "permissive" {
            options.permissive = true;
        }
    }
    let mut flags = vec![match options.dialect {
        Dialect::C99 => "-std=gnu99",
        Dialect::C11 => "-std=gnu11",
        // avr-gcc 5 does not know its name, but C17 only corrects C11.
        Dialect::C17 if options.target.name == "avr" => "-std=gnu11",
        Dialect::C17 => "-std=gnu17",
        Dialect::C23 => "-std=gnu2x",
    }];
    match options.target.name {
        "avr" => compiler = Some("avr-gcc"),
        "i386-linux" => flags.push("-m32"),
        _ => {}
    }
    // Only programs for this machine are linked and run.
    let runs = options.target.name == "x86_64-linux" && text.contains("int main(");
    Case { options, compiler, flags, runs }
}

fn read(text: &str, options: &Options) -> Result<Program, String> {
    let input = SourceText::new("test.c", text);
    parse(&[input], options).map_err(|failure| {
        let place = failure.sources.place(failure.diagnostic.span);
        let place = place.map(|place| format!("{}: {}", place.line, place.text));
        format!("{} at {}", failure.diagnostic.message, place.unwrap_or_default())
    })
}

/// Compiles a text; if it `runs`, also runs it, and wants it to return 0.
fn compile(case: &Case, text: &str, name: &str, runs: bool) -> Result<(), String> {
    let Some(compiler) = case.compiler else { return Ok(()) };
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("accepted");
    fs::create_dir_all(&directory).expect("a directory");
    let program = directory.join(name);
    let mut command = Command::new(compiler);
    command.args(&case.flags).args(["-w", "-xc", "-", "-o"]).arg(&program);
    if runs {
        command.arg("-lm");
    } else {
        command.arg("-S");
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{compiler} must be installed: {error}"));
    let mut stdin = child.stdin.take().expect("a pipe");
    // A compiler that stops early says why.
    let _ = stdin.write_all(text.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the compiler ends");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    if runs {
        let status = Command::new(&program).status().expect("the program starts");
        if status.code() != Some(0) {
            return Err(format!("the program ends with {status}"));
        }
    }
    fs::remove_file(&program).expect("removed");
    Ok(())
}

fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).expect("a text");
    let name = path.file_stem().expect("a name").to_string_lossy();
    let case = case(&text);
    compile(&case, &text, &format!("{name}-original"), case.runs)
        .map_err(|trouble| format!("the original: {trouble}"))?;
    let program = read(&text, &case.options)?;
    let violations = well_formed::check(&program);
    if !violations.is_empty() {
        return Err(format!("not well formed: {violations:#?}"));
    }
    let printed = print(&program, &PrintOptions::default());
    let again = read(&printed, &case.options)
        .map_err(|trouble| format!("does not read back: {trouble}\n{printed}"))?;
    if let Some(difference) = shape::difference(&program, &again) {
        return Err(format!("reads back differently: {difference}\n{printed}"));
    }
    compile(&case, &printed, &format!("{name}-printed"), case.runs)
        .map_err(|trouble| format!("as printed: {trouble}\n{printed}"))
}

#[test]
fn every_program_is_read_and_printed_as_the_same() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/accepted");
    let mut paths: Vec<PathBuf> = fs::read_dir(&directory)
        .expect("the corpus is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let check_all = || {
        let mut report = String::new();
        for path in &paths {
            if let Err(trouble) = check(path) {
                let name = path.file_name().expect("a file").display();
                write!(report, "\n{name}: {trouble}\n").expect("a string takes all");
            }
        }
        assert!(report.is_empty(), "{report}");
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, check_all);
        if let Err(panic) = thread.expect("there is room for one thread").join() {
            std::panic::resume_unwind(panic);
        }
    });
}
