//! The compilers that the layouts are compared with.

use std::io::Write as _;
use std::process::{Command, Stdio};

use farrier_lang::Target;
use farrier_lang::target::{
    AARCH64_LINUX, ARM_LINUX, AVR, I386_LINUX, RISCV64_LINUX, S390X_LINUX, X86_64_LINUX,
};

/// A compiler for a target, and the package that has it.
pub(crate) struct Compiler {
    pub(crate) target: &'static Target,
    command: &'static [&'static str],
    package: &'static str,
    /// How many bytes `.word` makes.
    word: usize,
}

pub(crate) static COMPILERS: [Compiler; 7] = [
    Compiler { target: &X86_64_LINUX, command: &["gcc", "-m64"], package: "gcc", word: 2 },
    Compiler { target: &I386_LINUX, command: &["gcc", "-m32"], package: "gcc", word: 2 },
    Compiler {
        target: &AARCH64_LINUX,
        command: &["aarch64-linux-gnu-gcc"],
        package: "gcc-aarch64-linux-gnu",
        word: 4,
    },
    Compiler {
        target: &S390X_LINUX,
        command: &["s390x-linux-gnu-gcc"],
        package: "gcc-s390x-linux-gnu",
        word: 2,
    },
    Compiler {
        target: &RISCV64_LINUX,
        command: &["riscv64-linux-gnu-gcc"],
        package: "gcc-riscv64-linux-gnu",
        word: 4,
    },
    Compiler {
        target: &ARM_LINUX,
        command: &["arm-linux-gnueabihf-gcc"],
        package: "gcc-arm-linux-gnueabihf",
        word: 4,
    },
    Compiler { target: &AVR, command: &["avr-gcc"], package: "gcc-avr", word: 2 },
];

impl Compiler {
    /// Compiles to assembly; the error is what the compiler says about the source.
    pub(crate) fn compile(&self, source: &str) -> Result<String, String> {
        let mut child = Command::new(self.command[0])
            .args(&self.command[1..])
            .args(["-std=gnu11", "-w", "-fmax-errors=20", "-S", "-x", "c", "-", "-o", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("cannot run {}: {error}; install {}", self.command[0], self.package)
            });
        let mut input = child.stdin.take().expect("stdin is piped");
        let output = std::thread::scope(|scope| {
            scope.spawn(move || input.write_all(source.as_bytes()).expect("the compiler reads"));
            child.wait_with_output().expect("the compiler ends")
        });
        if output.status.success() {
            Ok(String::from_utf8(output.stdout).expect("assembly is text"))
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// The bytes that follow a label in assembly.
    pub(crate) fn data(&self, assembly: &str, label: &str) -> Vec<u8> {
        let start = format!("\n{label}:\n");
        let start = assembly.find(&start).unwrap_or_else(|| panic!("no {label}")) + start.len();
        let mut bytes = Vec::new();
        for line in assembly[start..].lines() {
            let mut words = line.split_ascii_whitespace();
            let (directive, argument) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            let size = match directive {
                ".byte" => 1,
                ".value" | ".short" | ".half" | ".hword" | ".2byte" => 2,
                ".long" | ".4byte" => 4,
                ".quad" | ".xword" | ".dword" | ".8byte" => 8,
                ".word" => self.word,
                ".zero" | ".space" => {
                    bytes.resize(bytes.len() + argument.parse::<usize>().expect("a count"), 0);
                    continue;
                }
                _ => break,
            };
            let value: i128 = argument.parse().unwrap_or_else(|_| panic!("not a number: {line}"));
            if self.target.big_endian {
                bytes.extend_from_slice(&value.to_be_bytes()[16 - size..]);
            } else {
                bytes.extend_from_slice(&value.to_le_bytes()[..size]);
            }
        }
        bytes
    }
}
