//! The compilers that the layouts are compared with.

use std::io::Write as _;
use std::process::{Command, Stdio};

use farrier_lang::Target;
use farrier_lang::target::{BitFieldRule, Toolchain, X86_64_LINUX};

/// The compiler for a target.
pub(crate) struct Compiler {
    pub(crate) target: &'static Target,
}

/// The compilers of the target that `FARRIER_TARGET` names, or of those that are always tested.
pub(crate) fn compilers() -> Vec<Compiler> {
    let name = std::env::var("FARRIER_TARGET").ok();
    let targets = Target::to_test(name.as_deref());
    assert!(!targets.is_empty(), "there is no target {name:?}");
    targets.into_iter().map(|target| Compiler { target }).collect()
}

/// gcc for this machine with the bit-fields of Microsoft: the compilers for Windows are large, so
/// not every machine that runs the tests has them.
pub(crate) fn microsoft() -> Compiler {
    let toolchain = Toolchain { flags: &["-m64", "-mms-bitfields"], ..X86_64_LINUX.toolchain };
    let bit_fields = BitFieldRule::Microsoft;
    let name = "x86_64-linux with the bit-fields of Microsoft";
    let target = Target { name, toolchain, bit_fields, ..X86_64_LINUX };
    Compiler { target: Box::leak(Box::new(target)) }
}

/// The targets whose assembly has four bytes in a `.word`, not two.
const LONG_WORDS: [&str; 10] = [
    "aarch64-linux",
    "riscv64-linux",
    "arm-linux",
    "mips-linux",
    "mips64el-linux",
    "sparc64-linux",
    "hppa-linux",
    "arm-none",
    "riscv32-none",
    "riscv64-none",
];

/// Whether the compiler for a target has a type. avr-gcc 5 and clang 14 do not know the names of
/// ISO/IEC TS 18661-3, and clang has no complex numbers of 128-bit integers.
pub(crate) fn knows(target: &Target, text: &str) -> bool {
    let is_clang = target.toolchain.compiler == "clang";
    let older = is_clang || target.name == "avr";
    let is_wide = text.starts_with("_Complex") && text.ends_with("__int128");
    !(older && text.contains("_Float") || is_clang && is_wide)
}

impl Compiler {
    /// Compiles to assembly; the error is what the compiler says about the source.
    pub(crate) fn compile(&self, source: &str) -> Result<String, String> {
        let toolchain = self.target.toolchain;
        let mut child = Command::new(toolchain.compiler)
            .args(toolchain.flags)
            .args(["-std=gnu11", "-w", "-fmax-errors=20", "-S", "-x", "c", "-", "-o", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("cannot run {}: {error}; install {}", toolchain.compiler, toolchain.packages)
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
        // What C calls `a` is called `_a` on Windows for i386.
        let underscore = if self.target.name == "i386-windows" { "_" } else { "" };
        let start = format!("\n{underscore}{label}:\n");
        let start = assembly.find(&start).unwrap_or_else(|| panic!("no {label}")) + start.len();
        let mut bytes = Vec::new();
        for line in assembly[start..].lines() {
            let mut words = line.split_ascii_whitespace();
            let (directive, argument) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            let size = match directive {
                ".byte" | ".int8" => 1,
                ".value" | ".short" | ".half" | ".uahalf" | ".hword" | ".2byte" | ".int16" => 2,
                ".long" | ".ualong" | ".4byte" | ".int32" => 4,
                ".quad" | ".uaquad" | ".xword" | ".uaxword" | ".dword" | ".8byte" | ".int64" => 8,
                ".ascii" | ".asciz" => {
                    let text = line.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"'));
                    bytes.extend(unescaped(text.expect("a text").0));
                    bytes.extend((directive == ".asciz").then_some(0));
                    continue;
                }
                ".word" | ".uaword" if LONG_WORDS.contains(&self.target.name) => 4,
                ".word" | ".uaword" => 2,
                ".zero" | ".space" | ".skip" | ".block" => {
                    bytes.resize(bytes.len() + argument.parse::<usize>().expect("a count"), 0);
                    continue;
                }
                _ => break,
            };
            let number = match argument.strip_prefix("0x") {
                Some(digits) => i128::from_str_radix(digits, 16),
                None => argument.parse(),
            };
            let value = number.unwrap_or_else(|_| panic!("not a number: {line}"));
            if self.target.big_endian {
                bytes.extend_from_slice(&value.to_be_bytes()[16 - size..]);
            } else {
                bytes.extend_from_slice(&value.to_le_bytes()[..size]);
            }
        }
        bytes
    }
}

/// The bytes of a text in assembly.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes().iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let is_digit = |byte: &u8| (b'0'..=b'7').contains(byte);
        let mut number = None;
        for _ in 0..3 {
            let Some(digit) = rest.next_if(is_digit) else { break };
            number = Some(number.unwrap_or(0) * 8 + (digit - b'0'));
        }
        bytes.push(number.unwrap_or_else(|| match rest.next() {
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(b'f') => 12,
            Some(b'r') => b'\r',
            Some(b'b') => 8,
            Some(other) => other,
            None => panic!("an escape without an end: {text}"),
        }));
    }
    bytes
}
