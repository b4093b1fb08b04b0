//! The guilty pass: what can be switched off in a compiler so that a finding goes away.

use super::crash::{read_crash, without_number};
use super::lab::Lab;
use super::smallest::{minimise, split};
use super::{Area, Culprit};
use crate::flags::{SDCC_FLAGS, is_excluded};
use crate::outcome::Outcome;
use crate::subject::Family;

/// Finds what is guilty. The finding must be there with these flags, and `outcome` be what
/// happens.
pub fn find_culprit(lab: &Lab<'_>, flags: &[String], outcome: &Outcome) -> Culprit {
    let family = lab.evidence().subject.family;
    let (level, rest) = split(flags);
    let optimises = level.as_deref().is_some_and(|level| level != "-O0");
    let found = match family {
        Family::Gcc | Family::Clang | Family::Zig if !optimises => without_level(lab, flags, &rest),
        Family::Clang | Family::Zig => llvm_pass(lab, flags),
        Family::Gcc => gcc_pass_of_crash(lab, flags, outcome)
            .or_else(|| gcc_counter(lab, flags, |name| name != MATCH))
            .or_else(|| gcc_flag(lab, flags))
            .or_else(|| gcc_counter(lab, flags, |name| name == MATCH))
            .or_else(|| gcc_pass(lab, flags))
            .ok_or_else(|| "switching off single flags and passes does not help".to_owned()),
        Family::Sdcc => sdcc_flag(lab, flags)
            .ok_or_else(|| "switching off single optimisations does not help".to_owned()),
        Family::Nvcc => {
            one_of(lab, flags, NVCC_OFF).ok_or_else(|| "no level of its parts helps".to_owned())
        }
        Family::Tcc | Family::Pcc | Family::Rucc | Family::Other => {
            Err("nothing is known that could be switched off in this compiler".to_owned())
        }
    };
    match found {
        Ok(culprit) => culprit,
        Err(_) if lab.is_over() => Culprit::Unknown { why: "there was no time left".to_owned() },
        Err(why) => Culprit::Unknown { why },
    }
}

/// What switches off the optimisers of the parts of nvcc: of cicc, of ptxas, of both.
const NVCC_OFF: &[&str] = &["-Xcicc=-O0", "-Xptxas=-O0", "-G"];

/// The one optimisation of SDCC without which a finding goes away.
fn sdcc_flag(lab: &Lab<'_>, flags: &[String]) -> Option<Culprit> {
    let off: Vec<&str> =
        SDCC_FLAGS.iter().filter(|flag| flag.starts_with("--no")).copied().collect();
    one_of(lab, flags, &off)
}

/// The first of these flags with which a finding goes away.
fn one_of(lab: &Lab<'_>, flags: &[String], off: &[&str]) -> Option<Culprit> {
    let flag = off
        .iter()
        .map(|flag| (*flag).to_owned())
        .find(|flag| lab.fails(&with(flags, std::slice::from_ref(flag))) == Some(false))?;
    Some(Culprit::Flag { flag })
}

/// Flags, and some more.
pub(super) fn with(flags: &[String], more: &[String]) -> Vec<String> {
    flags.iter().chain(more).cloned().collect()
}

/// Without optimisation: the one other flag that is needed, if there is one.
fn without_level(lab: &Lab<'_>, flags: &[String], rest: &[Vec<String>]) -> Result<Culprit, String> {
    let nothing = "it happens at -O0, where passes cannot be switched off".to_owned();
    let [words] = rest else { return Err(nothing) };
    let flag = words.join(" ");
    let Some(name) = flag.strip_prefix("-f").filter(|name| !name.contains(['=', ' '])) else {
        return Err(nothing);
    };
    let off = match name.strip_prefix("no-") {
        Some(name) => format!("-f{name}"),
        None => format!("-fno-{name}"),
    };
    match lab.fails(&with(flags, std::slice::from_ref(&off))) {
        Some(false) => Ok(Culprit::Flag { flag: off }),
        _ => Err(nothing),
    }
}

/// The number at which a finding appears: it is not there with `works` and is there with
/// `fails`. `test` says whether it is there, as [`Lab::fails`] does.
pub(super) fn bisect(
    mut works: u64,
    mut fails: u64,
    test: impl Fn(u64) -> Option<bool>,
) -> Result<u64, String> {
    /// Where nothing can be said of a number, so many others beside it are tried.
    const NEIGHBOURS: u64 = 8;
    while fails - works > 1 {
        let middle = works + (fails - works) / 2;
        let near = (middle..fails).take(NEIGHBOURS as usize);
        let near = near.chain((works + 1..middle).rev().take(NEIGHBOURS as usize));
        let Some((number, there)) =
            near.into_iter().find_map(|number| test(number).map(|there| (number, there)))
        else {
            return Err(format!(
                "between {works} and {fails} it cannot be said whether it happens"
            ));
        };
        if there {
            fails = number;
        } else {
            works = number;
        }
    }
    Ok(fails)
}

/// Searches and makes sure of the result, with `again` that remembers nothing.
fn bisect_surely(
    most: u64,
    test: impl Fn(u64) -> Option<bool>,
    again: impl Fn(u64) -> Option<bool>,
) -> Result<u64, String> {
    match test(most) {
        Some(true) => {}
        Some(false) => return Err("it does not happen while passes are counted".to_owned()),
        None => return Err("it cannot be said while passes are counted".to_owned()),
    }
    match test(0) {
        Some(false) => {}
        Some(true) => return Err("it happens with everything off that can be left out".to_owned()),
        None => return Err("it cannot be said with everything off".to_owned()),
    }
    let number = bisect(0, most, test)?;
    if again(number) == Some(true) && again(number - 1) == Some(false) {
        Ok(number)
    } else {
        Err(format!("not monotone: at {number} it does not come again as it came"))
    }
}

/// The flags that let LLVM run so many passes.
pub(super) fn limit(number: i64) -> Vec<String> {
    vec!["-mllvm".to_owned(), format!("-opt-bisect-limit={number}")]
}

fn llvm_pass(lab: &Lab<'_>, flags: &[String]) -> Result<Culprit, String> {
    let text = lab.messages(&with(flags, &limit(-1))).map_err(|error| error.to_string())?;
    let most = executed_passes(&text).map(|pass| pass.number).max();
    let Some(most) = most else {
        return Err("the compiler does not count its passes".to_owned());
    };
    let flags_up_to = |number: u64| with(flags, &limit(i64::try_from(number).unwrap_or(i64::MAX)));
    let number = bisect_surely(
        most,
        |number| lab.fails(&flags_up_to(number)),
        |number| lab.fails_again(&flags_up_to(number)),
    )?;
    let text = lab.messages(&flags_up_to(number)).map_err(|error| error.to_string())?;
    let mut passes = executed_passes(&text).filter(|pass| pass.number == number);
    let Some(pass) = passes.next() else {
        return Err(format!("pass {number} is guilty, but it is not named"));
    };
    if passes.any(|other| other.name != pass.name) {
        return Err(format!("pass {number} is guilty, but each file has its own"));
    }
    let (name, on) = (pass.name.to_owned(), pass.on.to_owned());
    Ok(Culprit::LlvmPass { number, name, on })
}

/// A pass that was executed.
pub(super) struct Executed<'a> {
    pub(super) number: u64,
    pub(super) name: &'a str,
    pub(super) on: &'a str,
}

/// The passes that were executed, in what LLVM writes when it counts them.
pub(super) fn executed_passes(text: &str) -> impl Iterator<Item = Executed<'_>> {
    text.lines().filter_map(executed_pass)
}

/// Reads `BISECT: running pass (12) SROAPass on main`.
fn executed_pass(line: &str) -> Option<Executed<'_>> {
    let (number, rest) = line.strip_prefix("BISECT: running pass (")?.split_once(") ")?;
    let (name, on) = rest.split_once(" on ").unwrap_or((rest, ""));
    Some(Executed { number: number.parse().ok()?, name, on })
}

/// The pass that GCC itself names when it crashes, if it helps to switch it off.
fn gcc_pass_of_crash(lab: &Lab<'_>, flags: &[String], outcome: &Outcome) -> Option<Culprit> {
    let Outcome::CompilerCrash { signal, text } = outcome else { return None };
    let name = read_crash(text, *signal).pass?;
    let flag = format!("-fdisable-{name}");
    let helps = lab.fails(&with(flags, std::slice::from_ref(&flag))) == Some(false);
    helps.then_some(Culprit::GccPass { flag, name })
}

/// The counter of the simplifications that every pass makes: it says less than a flag.
const MATCH: &str = "match";

/// Parts of the names of what many passes depend on.
pub(super) const EVERYWHERE: [&str; 4] = [MATCH, "inline", "inlining", "tree-loop-optimize"];

/// The debug counter of these names, and its value, at which the finding appears.
fn gcc_counter(
    lab: &Lab<'_>,
    flags: &[String],
    is_meant: impl Fn(&str) -> bool,
) -> Option<Culprit> {
    let text = lab.messages(&with(flags, &["-fdbg-cnt-list".to_owned()])).ok()?;
    let mut counters = parse_counters(&text);
    counters.retain(|counter| is_meant(&counter.name));
    // What happens rarely says more than what happens all the time.
    counters.sort_by_key(|counter| counter.value);
    let off = |counters: &[Counter]| -> Vec<String> {
        let flags = counters.iter().map(|counter| counter.flag(0));
        flags.collect()
    };
    let helps = |some: &[Counter]| lab.fails(&with(flags, &off(some))) == Some(false);
    if counters.is_empty() || !helps(&counters) {
        return None;
    }
    let mut guilty = minimise(counters, helps);
    // Several counters together are flags rather than a place.
    if guilty.len() != 1 {
        return None;
    }
    let Counter { name, value } = guilty.remove(0);
    let up_to = |number| with(flags, &[Counter { name: name.clone(), value }.flag(number)]);
    let number = bisect_surely(
        value,
        |number| lab.fails(&up_to(number)),
        |number| lab.fails_again(&up_to(number)),
    );
    Some(match number {
        Ok(number) => Culprit::GccCounter { name, number },
        // Without any of these transformations it does not happen, which is what is known.
        Err(_) => Culprit::Flag { flag: format!("-fdbg-cnt={name}:0") },
    })
}

/// A debug counter of GCC, and how often it was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Counter {
    name: String,
    value: u64,
}

impl Counter {
    /// Allows so many transformations. This form is the same in all versions.
    fn flag(&self, number: u64) -> String {
        format!("-fdbg-cnt={}:{number}", self.name)
    }
}

/// The counters that were asked at all, in the output of `-fdbg-cnt-list`.
fn parse_counters(text: &str) -> Vec<Counter> {
    let lines = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (name, value) = (words.next()?, words.next()?.parse().ok()?);
        (value > 0).then(|| Counter { name: name.to_owned(), value })
    });
    lines.collect()
}

/// The flag without which no pass looks at loops.
const ALL_LOOPS: &str = "-fno-tree-loop-optimize";

/// A flag that helps when it is switched off.
fn gcc_flag(lab: &Lab<'_>, flags: &[String]) -> Option<Culprit> {
    let words: Vec<&str> = flags.iter().map(String::as_str).collect();
    let question = [&["-Q", "--help=optimizers"][..], &words].concat();
    let text = lab.question(&question).ok()?;
    let mut off = enabled(&text);
    // The first of several that help alone is named, and others say more than this one.
    off.sort_by_key(|flag| flag == ALL_LOOPS);
    let helps = |some: &[String]| lab.fails(&with(flags, some)) == Some(false);
    if off.is_empty() {
        return None;
    }
    match lab.fails(&with(flags, &off)) {
        Some(false) => Some(Culprit::Flag { flag: minimise(off, helps).join(" ") }),
        // It is in none of them.
        Some(true) => None,
        // Together they lead somewhere else.
        None => {
            let single = off.into_iter().find(|flag| helps(std::slice::from_ref(flag)));
            single.map(|flag| Culprit::Flag { flag })
        }
    }
}

/// What switches off the flags that are on, in the output of `-Q --help=optimizers`.
fn enabled(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| {
        let (flag, rest) = line.trim().split_once(char::is_whitespace)?;
        let name = flag.strip_prefix("-f").filter(|name| !name.contains('='))?;
        let on = rest.trim() == "[enabled]" && !is_excluded(name);
        on.then(|| format!("-fno-{name}"))
    });
    lines.collect()
}

/// The last pass that helps when it is switched off: those before it may only have made the
/// code on which it is wrong.
fn gcc_pass(lab: &Lab<'_>, flags: &[String]) -> Option<Culprit> {
    let text = lab.messages(&with(flags, &["-fdump-passes".to_owned()])).ok()?;
    for name in parse_passes(&text).into_iter().rev() {
        if lab.is_over() {
            return None;
        }
        let flag = format!("-fdisable-{name}");
        if lab.fails(&with(flags, std::slice::from_ref(&flag))) == Some(false) {
            return Some(Culprit::GccPass { flag, name });
        }
    }
    None
}

/// The passes that are on and have names, in the output of `-fdump-passes`.
fn parse_passes(text: &str) -> Vec<String> {
    let mut passes: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some((name, state)) = line.split_once(':') else { continue };
        let name = name.trim();
        let known = ["tree-", "rtl-", "ipa-"].iter().any(|kind| name.starts_with(kind));
        if known && state.trim() == "ON" && !passes.iter().any(|other| other == name) {
            passes.push(name.to_owned());
        }
    }
    passes
}

/// Counters of GCC in the passes that know the machine.
const MACHINE_COUNTERS: &[&str] = &[
    "auto_inc_dec",
    "cprop",
    "cse2_move2add",
    "dce_fast",
    "dce_ud",
    "df_byte_scan",
    "dse1",
    "dse2",
    "gcse2_delete",
    "global_alloc_at_func",
    "global_alloc_at_reg",
    "hoist",
    "hoist_insn",
    "ia64_sched2",
    "if_after_combine",
    "if_after_reload",
    "if_conversion",
    "ira_move",
    "local_alloc_for_sched",
    "lim",
    "postreload_cse",
    "pre",
    "pre_insn",
    "ree",
    "regmove",
    "sched2_func",
    "sched_block",
    "sched_breakdep",
    "sched_func",
    "sched_insn",
    "sched_region",
    "sel_sched_cnt",
    "sel_sched_insn_cnt",
    "sel_sched_region_cnt",
    "sms_sched_loop",
    "split_for_sched2",
    "store_motion",
    "stv_conversion",
];

/// Flags of GCC for passes that know the machine, by their beginnings.
const MACHINE_FLAGS: &[&str] = &[
    "combine-stack",
    "compare-elim",
    "cprop-registers",
    "crossjumping",
    "cse-",
    "dce",
    "dse",
    "forward-propagate",
    "gcse",
    "if-conversion",
    "ira-",
    "lra-",
    "omit-frame-pointer",
    "peephole",
    "ree",
    "rename-registers",
    "reorder-blocks",
    "rerun-cse",
    "sched",
    "shrink-wrap",
    "split-",
    "stack-",
    "web",
];

/// In which part of the compiler a finding is, as far as that can be guessed. The finding must
/// have been observed with these flags, and `outcome` be what happens.
pub fn find_area(lab: &Lab<'_>, flags: &[String], outcome: &Outcome, culprit: &Culprit) -> Area {
    match outcome {
        Outcome::CompilerCrash { .. } if lab.evidence().subject.family == Family::Clang => {
            clang_area(lab, flags)
        }
        Outcome::CompilerCrash { signal, text } => match read_crash(text, *signal).area {
            Area::Unknown => area_of(culprit),
            area => area,
        },
        Outcome::CompileError { .. } => Area::FrontEnd,
        _ => area_of(culprit),
    }
}

/// Where clang crashes, by the recipe of LLVM's guide for reporters: without passes it is
/// the front end, with passes but without making code the middle end.
fn clang_area(lab: &Lab<'_>, flags: &[String]) -> Area {
    let breaks = |more: &[&str]| {
        let more: Vec<String> = more.iter().map(|flag| (*flag).to_owned()).collect();
        lab.messages(&with(flags, &more)).is_ok_and(|text| lab.is_the_crash(&text))
    };
    if breaks(&["-emit-llvm", "-Xclang", "-disable-llvm-passes"]) {
        Area::FrontEnd
    } else if breaks(&["-emit-llvm"]) {
        Area::MiddleEnd
    } else {
        Area::BackEnd
    }
}

/// In which part of the compiler a culprit is.
pub fn area_of(culprit: &Culprit) -> Area {
    match culprit {
        // What the old manager of passes runs, with these words, is the making of code.
        Culprit::LlvmPass { on, .. } if on.starts_with("function (") => Area::BackEnd,
        Culprit::LlvmPass { .. } => Area::MiddleEnd,
        Culprit::GccCounter { name, .. } if MACHINE_COUNTERS.contains(&name.as_str()) => {
            Area::BackEnd
        }
        Culprit::GccCounter { .. } => Area::MiddleEnd,
        Culprit::GccPass { name, .. } if name.starts_with("rtl-") => Area::BackEnd,
        Culprit::GccPass { .. } => Area::MiddleEnd,
        Culprit::Flag { flag } => {
            let name = flag.strip_prefix("-fno-").unwrap_or(flag);
            let machine = MACHINE_FLAGS.iter().any(|beginning| name.starts_with(beginning));
            if machine { Area::BackEnd } else { Area::MiddleEnd }
        }
        Culprit::Engine { .. } => Area::BackEnd,
        Culprit::Unknown { .. } => Area::Unknown,
    }
}

/// The name of a culprit in a signature: without what differs from program to program.
pub(super) fn culprit_name(culprit: &Culprit) -> Option<&str> {
    match culprit {
        Culprit::GccPass { name, .. } => Some(without_number(name)),
        _ => culprit.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_found() {
        for guilty in 1..=40 {
            let test = |number: u64| Some(number >= guilty);
            assert_eq!(bisect_surely(40, test, test), Ok(guilty));
        }
    }

    #[test]
    fn numbers_of_which_nothing_can_be_said_are_stepped_over() {
        let test = |number: u64| (!(18..=22).contains(&number)).then_some(number >= 27);
        assert_eq!(bisect_surely(40, test, test), Ok(27));
        let test = |number: u64| (!(5..=35).contains(&number)).then_some(number >= 27);
        assert!(bisect_surely(40, test, test).is_err());
    }

    #[test]
    fn what_comes_and_goes_is_said_to() {
        let test = |number: u64| Some(number >= 7);
        let other = |number: u64| Some(number >= 9);
        assert!(bisect_surely(20, test, other).unwrap_err().starts_with("not monotone"));
        assert!(bisect_surely(20, |_| Some(true), |_| Some(true)).unwrap_err().contains("off"));
        assert!(bisect_surely(20, |_| Some(false), |_| Some(true)).is_err());
        // Two numbers at which it appears: one of them is found.
        let test = |number: u64| Some(number == 5 || number >= 12);
        assert!(matches!(bisect_surely(20, test, test), Ok(5 | 12)));
    }

    #[test]
    fn passes_are_read() {
        let line = "BISECT: running pass (12) Simplify the CFG on function (f)";
        let pass = executed_pass(line).expect("it is one");
        assert_eq!((pass.number, pass.name, pass.on), (12, "Simplify the CFG", "function (f)"));
        assert!(executed_pass("BISECT: NOT running pass (13) SROAPass on main").is_none());
        assert!(executed_pass("t.c:1:1: warning: BISECT").is_none());
        let text = "   *warn_unused_result :  ON\n  tree-omplower     :  ON\n   tree-tmlower :  OFF\n \
                    rtl-combine : ON\n";
        assert_eq!(parse_passes(text), ["tree-omplower", "rtl-combine"]);
    }

    #[test]
    fn counters_and_flags_are_read() {
        let text = "  counter name    counter value     closed intervals\n------\n  asan  0  unset\n  \
                    ccp   84      unset\n  dce  2  unset\n***dbgcnt: lower limit 1 reached***\n";
        let names: Vec<String> = parse_counters(text).iter().map(|one| one.flag(1)).collect();
        assert_eq!(names, ["-fdbg-cnt=ccp:1", "-fdbg-cnt=dce:1"]);
        let text = "  -faggressive-loop-optimizations \t[enabled]\n  -fallow-store-data-races \t\
                    [disabled]\n  -ftree-vrp  \t[enabled]\n  -fvect-cost-model=[x] \tdynamic\n  \
                    -fmath-errno\t[enabled]\n";
        assert_eq!(enabled(text), ["-fno-aggressive-loop-optimizations", "-fno-tree-vrp"]);
    }
}
