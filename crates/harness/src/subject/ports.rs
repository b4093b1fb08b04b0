//! The machines that SDCC is tried for, each simulated.

use farrier_lang::Target;
use farrier_lang::target::{MCS51, STM8, Z80};

use super::{Family, Runner, SourceFile, Subject};
use crate::outcome::SDCC_RUNTIME;

/// A row of the table of ports.
struct Port {
    target: &'static Target,
    /// What makes SDCC a compiler for it.
    flags: &'static [&'static str],
    /// The simulator. It has an interface at an address, by which a program prints and stops.
    run: &'static [&'static str],
}

const PORTS: &[Port] = &[
    Port { target: &Z80, flags: &["-mz80"], run: &["sz80", "-q", "-G", "-I", "if=rom[0x00f0]"] },
    Port { target: &STM8, flags: &["-mstm8"], run: &["sstm8", "-q", "-G", "-I", "if=rom[0x4fff]"] },
    Port {
        target: &MCS51,
        flags: &["-mmcs51", "--model-large"],
        run: &["s51", "-q", "-G", "-I", "if=xram[0xffff]"],
    },
];

/// Whether a command is one of the simulators, which start nothing.
pub(crate) fn is_simulator(name: &str) -> bool {
    PORTS.iter().any(|port| port.run.first() == Some(&name))
}

/// SDCC for every machine of the table. `has` says whether a command is there.
pub(super) fn ports(subject: &Subject, has: impl Fn(&str) -> bool) -> Vec<Subject> {
    let for_port = |port: &Port| {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let simulator = port.run[0];
        let mut flags: Vec<String> = owned(port.flags);
        flags.extend(subject.family.flags());
        let (name, text) = SDCC_RUNTIME;
        Subject {
            name: format!("{}-{}-{}", subject.family.name(), port.target.name, subject.version),
            target: Some(port.target),
            triple: port.target.name.to_owned(),
            flags,
            libraries: Vec::new(),
            runtime: Some(SourceFile { name: name.to_owned(), text: text.to_owned() }),
            runner: match has(simulator) {
                true => Runner::Marked(owned(port.run)),
                false => Runner::Missing(format!("install sdcc-ucsim, which has {simulator}")),
            },
            aliases: Vec::new(),
            ..subject.clone()
        }
    };
    match subject.family {
        Family::Sdcc => PORTS.iter().map(for_port).collect(),
        _ => Vec::new(),
    }
}
