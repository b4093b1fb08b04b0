//! Flags of compilers for x86.

use super::Choice;

/// Forms that both compilers take: code for other processors in the same instructions, and other
/// widths of vectors.
pub(super) const FORMS: &[(&str, &[&[&str]])] = &[
    (
        "tune",
        &[
            &["-mtune=atom"],
            &["-mtune=haswell"],
            &["-mtune=k8"],
            &["-mtune=silvermont"],
            &["-mtune=skylake-avx512"],
            &["-mtune=znver3"],
        ],
    ),
    (
        "preferred-width",
        &[
            &["-mprefer-vector-width=128"],
            &["-mprefer-vector-width=256"],
            &["-mprefer-vector-width=512"],
        ],
    ),
];

/// Forms of GCC: fewer registers, other frames, and other instructions for the same work.
pub(super) const GCC_FORMS: &[(&str, &[&[&str]])] = &[
    (
        "fixed-registers",
        &[
            &["-ffixed-rbx"],
            &["-ffixed-r12", "-ffixed-r13"],
            &["-ffixed-r10", "-ffixed-r11"],
            &["-ffixed-rbx", "-ffixed-r12", "-ffixed-r13", "-ffixed-r14", "-ffixed-r15"],
        ],
    ),
    ("branch-cost", &[&["-mbranch-cost=0"], &["-mbranch-cost=5"]]),
    ("red-zone", &[&["-mno-red-zone"]]),
    ("stack-alignment", &[&["-mstackrealign"], &["-mforce-drap"]]),
    ("arguments", &[&["-maccumulate-outgoing-args"], &["-mno-push-args"]]),
    (
        "indirect-branches",
        &[&["-mindirect-branch=thunk-inline"], &["-mfunction-return=thunk-inline"]],
    ),
    ("vector-chains", &[&["-mno-stv"]]),
    ("narrow-division", &[&["-m8bit-idiv"]]),
    ("moves", &[&["-mmove-max=128"], &["-mmove-max=512"], &["-mstore-max=512"]]),
    ("inline-strings", &[&["-minline-all-stringops"], &["-minline-stringops-dynamically"]]),
    ("split-vectors", &[&["-mavx256-split-unaligned-load"], &["-mavx256-split-unaligned-store"]]),
];

/// Ways of GCC to copy and fill memory, which change what small loops become.
pub(super) const STRING_STRATEGIES: [&str; 6] =
    ["byte_loop", "libcall", "loop", "rep_byte", "unrolled_loop", "vector_loop"];

/// The levels of x86-64 and the flags of `/proc/cpuinfo` that each adds, as the System V
/// ABI lists them; a flag that the kernel calls by another name is under that name.
const LEVELS: &[(&str, &[&str])] = &[
    ("x86-64", &["sse2"]),
    ("x86-64-v2", &["cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"]),
    ("x86-64-v3", &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"]),
    ("x86-64-v4", &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
];

/// Instructions beyond the levels, with their flags of `/proc/cpuinfo`.
const PARTS: &[(&str, &str)] = &[
    ("-mavx512bitalg", "avx512_bitalg"),
    ("-mavx512ifma", "avx512ifma"),
    ("-mavx512vbmi", "avx512vbmi"),
    ("-mavx512vbmi2", "avx512_vbmi2"),
    ("-mavx512vnni", "avx512_vnni"),
    ("-mavx512vpopcntdq", "avx512_vpopcntdq"),
    ("-mgfni", "gfni"),
];

/// Instructions that a level has and that few processors of that level lack, so that they are
/// seldom tested apart.
const WITHOUT: &[(&str, &[&str])] = &[
    ("x86-64-v2", &["-mno-popcnt", "-mno-sse4.2", "-mno-ssse3"]),
    ("x86-64-v3", &["-mno-avx2", "-mno-bmi", "-mno-bmi2", "-mno-lzcnt"]),
    ("x86-64-v4", &["-mno-avx512bw", "-mno-avx512dq", "-mno-avx512vl"]),
];

/// What a processor has, by its `/proc/cpuinfo`.
pub(super) fn processor_flags(text: &str) -> Vec<&str> {
    let line = text.lines().find_map(|line| line.strip_prefix("flags")?.split_once(':'));
    line.map(|(_, flags)| flags.split_whitespace().collect()).unwrap_or_default()
}

/// The processors whose programs a machine can run, by its `/proc/cpuinfo`. Half of them are the
/// levels as they are.
pub(super) fn processors(text: &str) -> Vec<Choice> {
    let flags = processor_flags(text);
    let has = |needs: &&(&str, &[&str])| needs.1.iter().all(|need| flags.contains(need));
    let levels: Vec<&str> = LEVELS.iter().take_while(has).map(|(level, _)| *level).collect();
    let plain = |level: &&str| Choice::new("march", [&[format!("-march={level}").as_str()][..]]);
    let mut choices: Vec<Choice> = levels.iter().map(plain).collect();
    for level in &levels {
        let march = format!("-march={level}");
        let without =
            WITHOUT.iter().filter(|(name, _)| name == level).flat_map(|(_, parts)| *parts);
        let with = PARTS.iter().filter(|(_, need)| *level == "x86-64-v4" && flags.contains(need));
        let parts: Vec<[&str; 2]> =
            without.chain(with.map(|(part, _)| part)).map(|part| [march.as_str(), part]).collect();
        if !parts.is_empty() {
            choices.push(Choice::new("march", parts.iter().map(|form| &form[..])));
        }
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_has_all_levels_up_to_one() {
        let flags =
            "processor : 0\nflags\t\t: sse2 cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx512f\n";
        let forms = |text| -> Vec<String> {
            let choices: Vec<Choice> = processors(text);
            choices.iter().flat_map(|choice| &choice.forms).map(|form| form.join(" ")).collect()
        };
        let expected = [
            "-march=x86-64",
            "-march=x86-64-v2",
            "-march=x86-64-v2 -mno-popcnt",
            "-march=x86-64-v2 -mno-sse4.2",
            "-march=x86-64-v2 -mno-ssse3",
        ];
        assert_eq!(forms(flags), expected);
        assert!(forms("").is_empty());
    }

    #[test]
    fn instructions_beyond_the_levels_are_those_of_the_processor() {
        let needs = LEVELS.iter().flat_map(|(_, needs)| *needs).copied();
        let flags: Vec<&str> = needs.chain(["gfni"]).collect();
        let choices = processors(&format!("flags : {}\n", flags.join(" ")));
        let last = choices.last().expect("there is one");
        assert!(last.forms.contains(&vec!["-march=x86-64-v4".to_owned(), "-mgfni".to_owned()]));
        assert!(last.forms.iter().all(|form| form[1] != "-mavx512ifma"));
    }
}
