//! Programs that are known to be defined.

use std::sync::OnceLock;

use farrier_lang::Program;

use crate::tier::{self, Tier};
use crate::verdict::{Behavior, Verdict};
use crate::{Options, run};

/// A program with the one behaviour that it has. Nothing else can make one than
/// [`certify`](crate::certify) and [`try_certify`](crate::try_certify), so the value is a proof.
#[derive(Clone, Debug)]
pub struct Certified {
    program: Program,
    behavior: Behavior,
    /// How it was run, to run it once more for its tier.
    options: Options,
    /// The tier, once it is known.
    tier: OnceLock<Tier>,
}

impl Certified {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What it does, on every implementation.
    pub fn behavior(&self) -> &Behavior {
        &self.behavior
    }

    /// What a compiler may do with its floating arithmetic.
    /// It is found out when it is first asked for, by another run if there are floating numbers.
    pub fn tier(&self) -> Tier {
        *self.tier.get_or_init(|| tier::tier(self))
    }

    /// Whether it has floating numbers at all.
    pub fn has_floats(&self) -> bool {
        tier::has_floats(&self.program)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// The program, without the proof.
    pub fn into_program(self) -> Program {
        self.program
    }
}

pub(crate) fn try_certify(
    program: Program,
    options: &Options,
    with_tier: bool,
) -> Result<Certified, Box<(Program, Verdict)>> {
    let options = Options { strict_aliasing: true, profile: None, ..options.clone() };
    if with_tier && tier::has_floats(&program) {
        let ran = run(&program, &tier::watching(&program, &options));
        if let (Verdict::Defined(behavior), Some(profile)) = (ran.verdict, ran.profile)
            && behavior.steps <= options.steps
        {
            let tier = OnceLock::from(tier::tier_of(&program, &profile));
            return Ok(Certified { program, behavior, options, tier });
        }
        // The plain run says why.
    }
    match run(&program, &options).verdict {
        Verdict::Defined(behavior) => {
            Ok(Certified { program, behavior, options, tier: OnceLock::new() })
        }
        other => Err(Box::new((program, other))),
    }
}

#[cfg(test)]
mod tests {
    use farrier_lang::Dialect;
    use farrier_lang::target::X86_64_LINUX;

    use super::*;
    use crate::certify;

    #[test]
    fn a_program_without_main_has_no_certificate() {
        let program = Program::new(&X86_64_LINUX, Dialect::C17);
        let verdict = certify(program, &Options::default()).expect_err("it cannot run");
        assert!(matches!(*verdict, Verdict::Unsupported(_)), "{verdict:?}");
    }
}
