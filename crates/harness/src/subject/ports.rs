//! The machines that one command compiles for, by flags, none of them without: those of SDCC, each
//! simulated, and those without an operating system, emulated.

use farrier_lang::Target;
use farrier_lang::target::{ARM_NONE, MCS51, RISCV32_NONE, RISCV64_NONE, STM8, Z80};

use super::identify::default_runner;
use super::{Family, Runner, SourceFile, Subject};
use crate::outcome::SDCC_RUNTIME;

/// A row of the table of ports. The flags are those of the target.
struct Port {
    family: Family,
    target: &'static Target,
    /// The simulator. It has an interface at an address, by which a program prints and stops.
    /// Nothing where the target has an emulator.
    run: &'static [&'static str],
}

const PORTS: &[Port] = &[
    Port { family: Family::Sdcc, target: &Z80, run: &["sz80", "-q", "-G", "-I", "if=rom[0x00f0]"] },
    Port {
        family: Family::Sdcc,
        target: &STM8,
        run: &["sstm8", "-q", "-G", "-I", "if=rom[0x4fff]"],
    },
    Port {
        family: Family::Sdcc,
        target: &MCS51,
        run: &["s51", "-q", "-G", "-I", "if=xram[0xffff]"],
    },
    Port { family: Family::Gcc, target: &ARM_NONE, run: &[] },
    Port { family: Family::Gcc, target: &RISCV32_NONE, run: &[] },
    Port { family: Family::Gcc, target: &RISCV64_NONE, run: &[] },
];

impl Port {
    /// Whether a command compiles for it.
    fn is_of(&self, subject: &Subject) -> bool {
        let triple = self.target.toolchain.triple;
        let machine = subject.family == Family::Sdcc || subject.triple == triple;
        subject.family == self.family && machine && !subject.is_cplusplus()
    }

    /// What runs its programs. `has` says whether a command is there.
    fn runner(&self, has: impl Fn(&str) -> bool) -> Runner {
        let toolchain = self.target.toolchain;
        let words = [self.run, toolchain.emulator].concat();
        match (words.first(), self.run.is_empty()) {
            (Some(first), _) if !has(first) => Runner::Missing(format!(
                "install {} to run programs for {}: there is no {first}",
                toolchain.packages, self.target.name
            )),
            (_, true) => default_runner(self.target),
            (_, false) => Runner::Marked(self.run.iter().map(|word| (*word).to_owned()).collect()),
        }
    }
}

/// Whether a command is one of the simulators, which start nothing.
pub(crate) fn is_simulator(name: &str) -> bool {
    PORTS.iter().any(|port| port.run.first() == Some(&name))
}

/// A compiler for every machine of the table that it is for. `has` says whether a command is there.
pub(super) fn ports(subject: &Subject, has: impl Fn(&str) -> bool) -> Vec<Subject> {
    let for_port = |port: &Port| {
        let mut flags: Vec<String> = port.target.toolchain.all_flags().map(str::to_owned).collect();
        flags.extend(super::flags_for(subject.family, Some(port.target)));
        let mut made = Subject {
            name: format!("{}-{}-{}", subject.family.name(), port.target.name, subject.version),
            target: Some(port.target),
            flags,
            runner: port.runner(&has),
            aliases: Vec::new(),
            ..subject.clone()
        };
        if port.family == Family::Sdcc {
            let (name, text) = SDCC_RUNTIME;
            made.triple = port.target.name.to_owned();
            made.libraries.clear();
            made.runtime = Some(SourceFile { name: name.to_owned(), text: text.to_owned() });
        }
        made
    };
    PORTS.iter().filter(|port| port.is_of(subject)).map(for_port).collect()
}
