//! The attributes and pragmas that Farrier knows, and how it treats each.
//!
//! The front end refuses what is not in these tables, and what stands where a row does not
//! allow it. The machine checks the promises, and the printer writes what is kept.

use Treatment::{Implemented, Kept, LeftOut, Promise, Refused};

/// How an attribute or a pragma is treated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Treatment {
    /// It is for warnings, tools or hints, and is not a part of the program.
    LeftOut,
    /// It says nothing about what the program does. It is kept and printed.
    Kept,
    /// It changes what the program does, and that is implemented.
    Implemented,
    /// A promise to the compiler, which the machine checks.
    Promise,
    /// A program that has it is refused.
    Refused,
}

impl Treatment {
    /// The word that the documentation uses.
    pub fn name(self) -> &'static str {
        match self {
            LeftOut => "left out",
            Kept => "kept",
            Implemented => "implemented",
            Promise => "promise",
            Refused => "refused",
        }
    }
}

/// What an attribute belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bearer {
    /// A function.
    Function,
    /// A variable or a parameter.
    Object,
    /// A struct, a union, an enumeration or a typedef.
    Type,
    /// A member of a struct or union.
    Member,
    /// A statement.
    Statement,
    /// A label or an enumeration constant.
    Label,
}

impl Bearer {
    /// Every bearer, in the order of the documentation.
    pub const ALL: [Self; 6] =
        [Self::Function, Self::Object, Self::Type, Self::Member, Self::Statement, Self::Label];

    /// The word that messages and the documentation use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Object => "object",
            Self::Type => "type",
            Self::Member => "member",
            Self::Statement => "statement",
            Self::Label => "label",
        }
    }

    /// The letter in a row of the table.
    fn letter(self) -> char {
        match self {
            Self::Function => 'f',
            Self::Object => 'v',
            Self::Type => 't',
            Self::Member => 'm',
            Self::Statement => 's',
            Self::Label => 'l',
        }
    }
}

/// An attribute that Farrier knows.
#[derive(Clone, Copy, Debug)]
pub struct AttributeRow {
    /// Its name, without underscores around it.
    pub name: &'static str,
    /// One letter for each bearer that it may have.
    bearers: &'static str,
    /// How it is treated.
    pub treatment: Treatment,
    /// What it says, or why it is treated so.
    pub note: &'static str,
}

impl AttributeRow {
    /// Whether it may belong to such a thing.
    pub fn allows(&self, bearer: Bearer) -> bool {
        self.bearers.contains(bearer.letter())
    }
}

const fn row(
    name: &'static str,
    bearers: &'static str,
    treatment: Treatment,
    note: &'static str,
) -> AttributeRow {
    AttributeRow { name, bearers, treatment, note }
}

/// The row of an attribute, by its name without underscores around it.
pub fn attribute(name: &str) -> Option<&'static AttributeRow> {
    let found = ATTRIBUTES.binary_search_by(|row| row.name.cmp(name));
    found.ok().map(|index| &ATTRIBUTES[index])
}

/// Whether the standard has an attribute, so that it may stand in `[[...]]` without a prefix.
pub fn is_standard(name: &str) -> bool {
    matches!(
        name,
        "deprecated"
            | "fallthrough"
            | "maybe_unused"
            | "nodiscard"
            | "noreturn"
            | "_Noreturn"
            | "reproducible"
            | "unsequenced"
            | "assume"
            | "likely"
            | "unlikely"
    )
}

/// A pragma that Farrier knows.
#[derive(Clone, Copy, Debug)]
pub struct PragmaRow {
    /// The words that it begins with.
    pub words: &'static str,
    /// How it is treated.
    pub treatment: Treatment,
    /// What it says, or why it is treated so.
    pub note: &'static str,
}

const fn pragma_row(words: &'static str, treatment: Treatment, note: &'static str) -> PragmaRow {
    PragmaRow { words, treatment, note }
}

/// The row of a pragma, by what stands after `#pragma`: the one with the most words.
pub fn pragma(text: &str) -> Option<&'static PragmaRow> {
    let begins = |words: &str| {
        let mut left = text;
        words.split(' ').all(|word| {
            left = left.trim_start();
            let after = left.strip_prefix(word);
            left = after.unwrap_or("");
            after.is_some() && !left.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    };
    PRAGMAS.iter().filter(|row| begins(row.words)).max_by_key(|row| row.words.len())
}

/// Whether the options of `optimize` or `target`, the text of the arguments, leave the
/// results of a program as they are.
pub fn options_are_harmless(name: &str, arguments: &str) -> bool {
    let words = arguments.split([',', '"', '(', ')', ' ']);
    words.filter(|word| !word.is_empty()).all(|word| match name {
        "optimize" => is_harmless_optimisation(word),
        _ => {
            HARMLESS_TARGETS.iter().any(|start| word.starts_with(start))
                && !HARMFUL_TARGETS.iter().any(|part| word.contains(part))
        }
    })
}

/// The beginnings of options of `target` for code that every processor of the target runs.
const HARMLESS_TARGETS: &[&str] =
    &["no-", "tune=", "default", "sse", "sse2", "mmx", "fxsr", "inline-", "prefer-", "branch-"];

/// Parts of options of `target` that may change results or the layout of types, or that need
/// more than the beginning says.
const HARMFUL_TARGETS: &[&str] =
    &["soft", "long-double", "no-sse", "no-fp", "no-80387", "sse3", "sse4", "ssse", "sseregparm"];

/// The beginnings of options of `optimize` that say how to translate, not what.
#[rustfmt::skip]
const HARMLESS_OPTIMISATIONS: &[&str] = &[
    "tree-", "ipa-", "inline", "unroll", "omit-frame", "gcse", "ivopts", "sched", "if-conversion",
    "crossjump", "cse", "peel", "peephole", "reorder", "rename", "rerun", "split", "thread-jumps",
    "vect", "dce", "dse", "stack-protector", "toplevel-reorder", "strict-aliasing", "code-hoisting",
    "early-inlining", "partial-inlining", "optimize-sibling-calls", "combine", "forward-propagate",
    "align-", "lto", "optimize-strlen",
];

/// Options of `optimize` that are off unless a program asks for them.
const HARMLESS_IF_OFF: &[&str] = &[
    "associative-math",
    "fast-math",
    "finite-math-only",
    "reciprocal-math",
    "unsafe-math-optimizations",
];

fn is_harmless_optimisation(word: &str) -> bool {
    let level = word.trim_start_matches('-').trim_start_matches('O');
    if matches!(level, "" | "0" | "1" | "2" | "3" | "s" | "g" | "z") {
        return true;
    }
    let option = word.trim_start_matches("-f");
    if option.strip_prefix("no-").is_some_and(|option| HARMLESS_IF_OFF.contains(&option)) {
        return true;
    }
    let option = option.trim_start_matches("no-");
    HARMLESS_OPTIMISATIONS.iter().any(|start| option.starts_with(start))
}

/// Every attribute that Farrier knows, sorted by name. The letters say what it may belong to:
/// f functions, v objects, t types, m members, s statements, l labels and constants.
#[rustfmt::skip]
pub const ATTRIBUTES: &[AttributeRow] = &[
    row("_Noreturn", "fvm", Promise, "noreturn-returns: the function must not return; also of a pointer to a function"),
    row("aarch64_sve_pcs", "fvtm", Refused, "the way arguments are passed"),
    row("aarch64_vector_pcs", "fvtm", Refused, "the way arguments are passed"),
    row("abi_tag", "fvt", LeftOut, "about names of C++"),
    row("access", "f", Promise, "unsupported if the program defines the function"),
    row("acquire_capability", "fvtm", LeftOut, "a warning about locks"),
    row("acquire_shared_capability", "fvtm", LeftOut, "a warning about locks"),
    row("acquired_after", "fvtm", LeftOut, "a warning about locks"),
    row("acquired_before", "fvtm", LeftOut, "a warning about locks"),
    row("address_space", "tv", Refused, "memory of another kind"),
    row("alias", "f", Implemented, "another name of a function that the program defines"),
    row("align_value", "vt", Refused, "a promise that is not checked"),
    row("aligned", "ftvm", Implemented, "the alignment"),
    row("alloc_align", "f", Promise, "the result is aligned"),
    row("alloc_size", "f", Promise, "the result has that many bytes"),
    row("altivec", "tv", Refused, "another kind of type"),
    row("always_inline", "fsl", Kept, "a hint to the optimiser"),
    row("analyzer_noreturn", "f", LeftOut, "for checkers alone"),
    row("annotate", "fvtms", LeftOut, "a note for tools"),
    row("annotate_type", "fvtms", LeftOut, "a note for tools"),
    row("argument_with_type_tag", "fv", LeftOut, "a warning about arguments"),
    row("artificial", "f", Kept, "about debugging"),
    row("assert_capability", "fvtm", LeftOut, "a warning about locks"),
    row("assert_shared_capability", "fvtm", LeftOut, "a warning about locks"),
    row("assume", "s", Promise, "unreachable: the expression must be true; it is printed as a test before `__builtin_unreachable`"),
    row("assume_aligned", "f", Promise, "the result is aligned"),
    row("availability", "fvtml", LeftOut, "a warning where the name is used"),
    row("bitwise", "fvtms", LeftOut, "for checkers"),
    row("blocks", "v", Refused, "about another language"),
    row("btf_decl_tag", "fvtms", LeftOut, "a note for tools"),
    row("btf_type_tag", "fvtms", LeftOut, "a note for tools"),
    row("callback", "f", Kept, "a note for the optimiser about a call back"),
    row("capability", "fvtm", LeftOut, "a warning about locks"),
    row("cdecl", "fvtm", Refused, "the way arguments are passed"),
    row("cf_check", "fv", Kept, "about machine code"),
    row("cfi_canonical_jump_table", "fv", Kept, "about machine code"),
    row("clang_builtin_alias", "fv", Refused, "which function is called"),
    row("cleanup", "v", Refused, "calls a function at the end of the scope"),
    row("code_model", "fv", Kept, "where the linker puts it"),
    row("cold", "fsl", Kept, "a hint to the optimiser"),
    row("common", "fv", Kept, "where the linker puts it"),
    row("const", "f", Promise, "the function has no effect, ends, and reads nothing that can change"),
    row("const_init", "v", Kept, "a diagnostic"),
    row("constructor", "f", Implemented, "runs before or after `main`; two of one priority are unspecified"),
    row("convergent", "fvs", Kept, "a hint to the optimiser"),
    row("copy", "fvt", Refused, "about linking"),
    row("counted_by", "m", Refused, "the bounds of an array"),
    row("counted_by_or_null", "m", Refused, "the bounds of an array"),
    row("cpu_dispatch", "f", Refused, "which function is called"),
    row("cpu_specific", "f", Refused, "which function is called"),
    row("deprecated", "fvtml", LeftOut, "a warning where the name is used"),
    row("designated_init", "t", LeftOut, "a warning about positional initialisers"),
    row("destructor", "f", Implemented, "runs before or after `main`; two of one priority are unspecified"),
    row("device_kernel", "fvtm", Refused, "the way arguments are passed"),
    row("diagnose_as_builtin", "f", LeftOut, "a diagnostic where the function is called"),
    row("diagnose_if", "f", Promise, "the function is not called: unsupported if it is named"),
    row("disable_sanitizer_instrumentation", "fv", Kept, "about machine code"),
    row("disable_tail_calls", "fvs", Kept, "a hint to the optimiser"),
    row("dllexport", "fvt", Kept, "about linking"),
    row("dllimport", "fvt", Kept, "about linking"),
    row("enable_if", "fv", Refused, "which function is called"),
    row("enum_extensibility", "tm", LeftOut, "about warnings on enumerations"),
    row("error", "f", Promise, "the function is not called: unsupported if it is named"),
    row("exclusive_lock_function", "fvtm", LeftOut, "a warning about locks"),
    row("exclusive_locks_required", "fvtm", LeftOut, "a warning about locks"),
    row("ext_vector_type", "t", Implemented, "a vector type of clang, in a typedef"),
    row("externally_visible", "fvt", Kept, "about linking"),
    row("fallthrough", "s", Implemented, "a statement of its own"),
    row("fastcall", "fvtm", Refused, "the way arguments are passed"),
    row("fd_arg", "fvtm", LeftOut, "for checkers"),
    row("fd_arg_read", "fvtm", LeftOut, "for checkers"),
    row("fd_arg_write", "fvtm", LeftOut, "for checkers"),
    row("fentry_name", "fv", Kept, "about machine code"),
    row("fentry_section", "fv", Kept, "about machine code"),
    row("flag_enum", "tm", LeftOut, "about warnings on enumerations"),
    row("flatten", "fsl", Kept, "a hint to the optimiser"),
    row("force_align_arg_pointer", "fv", Kept, "about machine code"),
    row("format", "fvtm", Kept, "a warning about arguments; the machine checks the calls themselves"),
    row("format_arg", "fvtm", Kept, "a warning about arguments; the machine checks the calls themselves"),
    row("function_return", "fv", Kept, "about machine code"),
    row("gcc_struct", "t", Kept, "the layout that all targets have"),
    row("gnu_inline", "f", Implemented, "the definition may be followed by another of the same text"),
    row("guarded_by", "fvtm", LeftOut, "a warning about locks"),
    row("hardbool", "t", Refused, "another representation"),
    row("hot", "fsl", Kept, "a hint to the optimiser"),
    row("ifunc", "fvt", Refused, "about linking"),
    row("indirect_branch", "fv", Kept, "about machine code"),
    row("indirect_return", "fv", Kept, "about machine code"),
    row("init_priority", "v", Refused, "the value at the start"),
    row("intel_ocl_bicc", "fvtm", Refused, "the way arguments are passed"),
    row("internal_linkage", "fv", Refused, "which function is called"),
    row("interrupt", "fvtm", Refused, "the way arguments are passed"),
    row("interrupt_handler", "fvtm", Refused, "the way arguments are passed"),
    row("leaf", "fvtm", Kept, "the function does not call back into its file: refused if the program defines it in another file"),
    row("lifetime_capture_by", "fv", LeftOut, "a warning about lifetimes"),
    row("lifetimebound", "fv", LeftOut, "a warning about lifetimes"),
    row("likely", "sl", LeftOut, "a guess at the path that is taken"),
    row("loader_uninitialized", "v", Refused, "the value at the start"),
    row("lock_returned", "fvtm", LeftOut, "a warning about locks"),
    row("lockable", "fvtm", LeftOut, "a warning about locks"),
    row("locks_excluded", "fvtm", LeftOut, "a warning about locks"),
    row("loop", "s", LeftOut, "a hint to the optimiser"),
    row("m68k_rtd", "fvtm", Refused, "the way arguments are passed"),
    row("malloc", "f", Promise, "the result is new memory without pointers in it, and nothing else points to it; a deallocator as the argument is left out"),
    row("matrix_type", "tv", Refused, "another kind of type"),
    row("may_alias", "tv", Implemented, "exempt from the rules on effective types"),
    row("maybe_unused", "fvtmls", LeftOut, "no warning where the name is not used"),
    row("min_vector_width", "fv", Kept, "about machine code"),
    row("minsize", "fvs", Kept, "a hint to the optimiser"),
    row("mode", "tvmf", Implemented, "another width of the type"),
    row("model", "fv", Kept, "where the linker puts it"),
    row("ms_abi", "fvtm", Refused, "the way arguments are passed"),
    row("ms_hook_prologue", "fvtm", Refused, "the way arguments are passed"),
    row("ms_struct", "t", Refused, "another layout"),
    row("musttail", "sf", Refused, "locals end before the call"),
    row("naked", "fvtm", Refused, "the way arguments are passed"),
    row("neon_polyvector_type", "tv", Refused, "another kind of type"),
    row("neon_vector_type", "tv", Refused, "another kind of type"),
    row("nmi", "fvtm", Refused, "the way arguments are passed"),
    row("no_address_safety_analysis", "fv", Kept, "about machine code"),
    row("no_builtin", "fvs", Kept, "a hint to the optimiser"),
    row("no_callee_saved_registers", "fvtm", Refused, "the way arguments are passed"),
    row("no_caller_saved_registers", "fvtm", Refused, "the way arguments are passed"),
    row("no_destroy", "fv", Kept, "where the linker puts it"),
    row("no_icf", "fvs", Kept, "a hint to the optimiser"),
    row("no_instrument_function", "fv", Kept, "about machine code"),
    row("no_profile_instrument_function", "fv", Kept, "about machine code"),
    row("no_reorder", "fvs", Kept, "a hint to the optimiser"),
    row("no_sanitize", "fv", Kept, "about machine code"),
    row("no_sanitize_address", "fv", Kept, "about machine code"),
    row("no_sanitize_coverage", "fv", Kept, "about machine code"),
    row("no_sanitize_memory", "fv", Kept, "about machine code"),
    row("no_sanitize_thread", "fv", Kept, "about machine code"),
    row("no_sanitize_undefined", "fv", Kept, "about machine code"),
    row("no_speculative_load_hardening", "fv", Kept, "about machine code"),
    row("no_split_stack", "fv", Kept, "about machine code"),
    row("no_stack_limit", "fv", Kept, "about machine code"),
    row("no_stack_protector", "fv", Kept, "about machine code"),
    row("no_thread_safety_analysis", "fvtm", LeftOut, "a warning about locks"),
    row("nocf_check", "fv", Kept, "about machine code"),
    row("noclone", "fsl", Kept, "a hint to the optimiser"),
    row("nocommon", "fv", Kept, "where the linker puts it"),
    row("nodebug", "f", Kept, "about debugging"),
    row("nodirect_extern_access", "fv", Kept, "about machine code"),
    row("nodiscard", "ft", LeftOut, "a warning where the result is not used"),
    row("noduplicate", "fvs", Kept, "a hint to the optimiser"),
    row("noescape", "v", Refused, "a promise that is not checked"),
    row("noinit", "v", Refused, "the value at the start"),
    row("noinline", "fsl", Kept, "a hint to the optimiser"),
    row("noipa", "fsl", Kept, "a hint to the optimiser"),
    row("nomerge", "sf", LeftOut, "about machine code"),
    row("nonnull", "f", Promise, "no argument, or none of those that are listed, is null"),
    row("nonstring", "vm", LeftOut, "no warning about a missing zero at the end"),
    row("noopt", "fvs", Kept, "a hint to the optimiser"),
    row("nooutline", "fvs", Kept, "a hint to the optimiser"),
    row("noplt", "fv", Kept, "about machine code"),
    row("noreturn", "fvm", Promise, "noreturn-returns: the function must not return; also of a pointer to a function"),
    row("not_tail_called", "fvs", Kept, "a hint to the optimiser"),
    row("nothrow", "fvtm", Kept, "C has no exceptions"),
    row("nouwtable", "fv", Kept, "about machine code"),
    row("null_terminated_string_arg", "fvtm", LeftOut, "for checkers"),
    row("objc_gc", "v", Refused, "about another language"),
    row("opencl_unroll_hint", "s", LeftOut, "a hint to the optimiser"),
    row("optimize", "f", Kept, "levels and passes; options that change results are refused"),
    row("optnone", "fvs", Kept, "a hint to the optimiser"),
    row("overloadable", "fv", Refused, "which function is called"),
    row("ownership_holds", "f", LeftOut, "for checkers"),
    row("ownership_returns", "f", LeftOut, "for checkers"),
    row("ownership_takes", "f", LeftOut, "for checkers"),
    row("packed", "tvm", Implemented, "the layout"),
    row("pascal", "fvtm", Refused, "the way arguments are passed"),
    row("pass_dynamic_object_size", "fv", Refused, "which function is called"),
    row("pass_object_size", "fv", Refused, "which function is called"),
    row("patchable_function_entry", "fv", Kept, "about machine code"),
    row("pcs", "fvtm", Refused, "the way arguments are passed"),
    row("persistent", "v", Refused, "the value at the start"),
    row("pointer_with_type_tag", "fv", LeftOut, "a warning about arguments"),
    row("preferred_type", "tm", LeftOut, "about warnings on enumerations"),
    row("preserve_access_index", "fvtms", LeftOut, "a note for tools"),
    row("preserve_all", "fvtm", Refused, "the way arguments are passed"),
    row("preserve_most", "fvtm", Refused, "the way arguments are passed"),
    row("preserve_none", "fvtm", Refused, "the way arguments are passed"),
    row("pt_guarded_by", "fvtm", LeftOut, "a warning about locks"),
    row("pure", "f", Promise, "the function has no effect, and ends"),
    row("regcall", "fvtm", Refused, "the way arguments are passed"),
    row("regparm", "fvtm", Refused, "the way arguments are passed"),
    row("release_capability", "fvtm", LeftOut, "a warning about locks"),
    row("release_shared_capability", "fvtm", LeftOut, "a warning about locks"),
    row("reproducible", "fvtm", Refused, "a promise that is not checked"),
    row("require_constant_initialization", "v", Kept, "a diagnostic"),
    row("requires_capability", "fvtm", LeftOut, "a warning about locks"),
    row("requires_shared_capability", "fvtm", LeftOut, "a warning about locks"),
    row("retain", "fvt", Kept, "about linking"),
    row("returns_nonnull", "f", Promise, "the result is not null"),
    row("returns_twice", "f", Kept, "as `setjmp`, which the machine implements"),
    row("scalar_storage_order", "t", Refused, "another layout"),
    row("scoped_lockable", "fvtm", LeftOut, "a warning about locks"),
    row("section", "fv", Kept, "where the linker puts it; names that begin with a period are refused, because some run code or cannot be written"),
    row("selectany", "fvt", Kept, "about linking"),
    row("sentinel", "fvtm", Kept, "a warning about arguments; the machine checks the calls themselves"),
    row("shared", "v", Refused, "the value at the start"),
    row("shared_capability", "fvtm", LeftOut, "a warning about locks"),
    row("shared_lock_function", "fvtm", LeftOut, "a warning about locks"),
    row("shared_locks_required", "fvtm", LeftOut, "a warning about locks"),
    row("signal", "fvtm", Refused, "the way arguments are passed"),
    row("simd", "f", Kept, "further machine codes for one body"),
    row("sized_by", "m", Refused, "the bounds of an array"),
    row("sized_by_or_null", "m", Refused, "the bounds of an array"),
    row("speculative_load_hardening", "fv", Kept, "about machine code"),
    row("sseregparm", "fvtm", Refused, "the way arguments are passed"),
    row("stack_protect", "fv", Kept, "about machine code"),
    row("standalone_debug", "f", Kept, "about debugging"),
    row("stdcall", "fvtm", Refused, "the way arguments are passed"),
    row("strict_flex_array", "m", Refused, "the bounds of an array"),
    row("strub", "fv", Kept, "about machine code"),
    row("suppress", "fvtms", LeftOut, "for checkers"),
    row("swiftasynccall", "fvtm", Refused, "the way arguments are passed"),
    row("swiftcall", "fvtm", Refused, "the way arguments are passed"),
    row("symver", "fvt", Refused, "about linking"),
    row("sysv_abi", "fvtm", Refused, "the way arguments are passed"),
    row("tainted_args", "fvtm", LeftOut, "for checkers"),
    row("target", "f", Kept, "tuning; options that change results or need another processor are refused"),
    row("target_clones", "f", Kept, "several machine codes for one body"),
    row("target_version", "f", Refused, "which function is called"),
    row("thiscall", "fvtm", Refused, "the way arguments are passed"),
    row("tls_model", "fv", Kept, "where the linker puts it"),
    row("transaction_callable", "fvtm", Refused, "about transactions"),
    row("transaction_may_cancel_outer", "fvtm", Refused, "about transactions"),
    row("transaction_pure", "fvtm", Refused, "about transactions"),
    row("transaction_safe", "fvtm", Refused, "about transactions"),
    row("transaction_unsafe", "fvtm", Refused, "about transactions"),
    row("transparent_union", "tv", Implemented, "an argument may be any member"),
    row("try_acquire_capability", "fvtm", LeftOut, "a warning about locks"),
    row("type_tag_for_datatype", "fv", LeftOut, "a warning about arguments"),
    row("type_visibility", "fvt", LeftOut, "about names of C++"),
    row("unavailable", "f", Promise, "the function is not called: unsupported if it is named"),
    row("uninitialized", "v", Kept, "nothing is written before the first assignment"),
    row("unlikely", "sl", LeftOut, "a guess at the path that is taken"),
    row("unlock_function", "fvtm", LeftOut, "a warning about locks"),
    row("unsequenced", "fvtm", Refused, "a promise that is not checked"),
    row("unused", "fvtmls", LeftOut, "no warning where the name is not used"),
    row("used", "fvt", Kept, "about linking"),
    row("uwtable", "fv", Kept, "about machine code"),
    row("vector_size", "tvmf", Implemented, "a vector type"),
    row("vectorcall", "fvtm", Refused, "the way arguments are passed"),
    row("visibility", "fvt", Kept, "about linking"),
    row("warn_if_not_aligned", "tvm", LeftOut, "a warning about layout"),
    row("warn_unused_result", "ft", LeftOut, "a warning where the result is not used"),
    row("warning", "f", LeftOut, "a diagnostic where the function is called"),
    row("weak", "fv", Implemented, "the definition of a function yields to one in another file; the address of one that is not defined is unsupported"),
    row("weak_import", "fvt", Refused, "about linking"),
    row("weakref", "fvt", Refused, "about linking"),
    row("xray_always_instrument", "fv", Kept, "about machine code"),
    row("xray_log_args", "fv", Kept, "about machine code"),
    row("xray_never_instrument", "fv", Kept, "about machine code"),
    row("zero_call_used_regs", "fv", Kept, "about machine code"),
];

/// Every pragma that Farrier knows, by what stands after `#pragma`.
#[rustfmt::skip]
pub const PRAGMAS: &[PragmaRow] = &[
    pragma_row("GCC dependency", LeftOut, "for the preprocessor"),
    pragma_row("GCC diagnostic", LeftOut, "about warnings"),
    pragma_row("GCC ivdep", Implemented, "a promise about the loop after it, which is checked"),
    pragma_row("GCC optimize", LeftOut, "levels and passes; options that change results are refused"),
    pragma_row("GCC poison", LeftOut, "for the preprocessor"),
    pragma_row("GCC pop_options", LeftOut, "ends the effect of options"),
    pragma_row("GCC push_options", LeftOut, "begins the effect of options"),
    pragma_row("GCC reset_options", LeftOut, "ends the effect of options"),
    pragma_row("GCC system_header", LeftOut, "about warnings"),
    pragma_row("GCC target", LeftOut, "tuning; options that change results or need another processor are refused"),
    pragma_row("GCC unroll", Implemented, "a hint about the loop after it"),
    pragma_row("GCC visibility", LeftOut, "about linking"),
    pragma_row("GCC warning", LeftOut, "for the preprocessor"),
    pragma_row("STDC CX_LIMITED_RANGE OFF", LeftOut, "the default"),
    pragma_row("STDC CX_LIMITED_RANGE", Refused, "changes the results of complex arithmetic"),
    pragma_row("STDC FENV_ACCESS OFF", LeftOut, "the default"),
    pragma_row("STDC FENV_ACCESS", Refused, "the floating-point environment"),
    pragma_row("STDC FENV_ROUND", Refused, "the floating-point environment"),
    pragma_row("STDC FP_CONTRACT OFF", LeftOut, "as all compilers are told"),
    pragma_row("STDC FP_CONTRACT", Refused, "changes the results of floating-point arithmetic"),
    pragma_row("acc", LeftOut, "compilers ignore it without an option"),
    pragma_row("align", Refused, "another layout"),
    pragma_row("clang attribute", Refused, "attributes of the declarations after it"),
    pragma_row("clang assume_nonnull", LeftOut, "about warnings"),
    pragma_row("clang diagnostic", LeftOut, "about warnings"),
    pragma_row("clang final", LeftOut, "for the preprocessor"),
    pragma_row("clang fp", Refused, "changes the results of floating-point arithmetic"),
    pragma_row("clang loop", Implemented, "hints about the loop after it; `assume_safety` is a promise, which is checked"),
    pragma_row("clang module", LeftOut, "for the preprocessor"),
    pragma_row("clang optimize", LeftOut, "a hint to the optimiser"),
    pragma_row("clang poison", LeftOut, "for the preprocessor"),
    pragma_row("clang section", LeftOut, "about linking"),
    pragma_row("clang system_header", LeftOut, "about warnings"),
    pragma_row("clang unsafe_buffer_usage", LeftOut, "about warnings"),
    pragma_row("comment", LeftOut, "for the linker"),
    pragma_row("endregion", LeftOut, "for editors"),
    pragma_row("extern_prefix", Refused, "another name for the linker"),
    pragma_row("fini", Refused, "runs a function"),
    pragma_row("float_control", Refused, "changes the results of floating-point arithmetic"),
    pragma_row("ident", LeftOut, "a note"),
    pragma_row("init", Refused, "runs a function"),
    pragma_row("ivdep", Refused, "a promise that is not checked"),
    pragma_row("mark", LeftOut, "for editors"),
    pragma_row("message", LeftOut, "for the preprocessor"),
    pragma_row("ms_struct", Refused, "another layout"),
    pragma_row("nounroll", LeftOut, "a hint to the optimiser"),
    pragma_row("nounroll_and_jam", LeftOut, "a hint to the optimiser"),
    pragma_row("omp", LeftOut, "compilers ignore it without an option; `simd` and `loop` in others are refused"),
    pragma_row("omp assume", Refused, "a promise that is not checked"),
    pragma_row("omp assumes", Refused, "a promise that is not checked"),
    pragma_row("omp declare", Refused, "other versions of a function"),
    pragma_row("omp ordered", Refused, "a part of an `omp simd` loop"),
    pragma_row("omp scan", Refused, "a part of an `omp simd` loop"),
    pragma_row("omp simd", Implemented, "a promise about the loop after it, which is checked"),
    pragma_row("once", LeftOut, "for the preprocessor"),
    pragma_row("options", Refused, "another layout"),
    pragma_row("pack", Implemented, "the layout of the records after it"),
    pragma_row("poison", LeftOut, "for the preprocessor"),
    pragma_row("pop_macro", LeftOut, "for the preprocessor"),
    pragma_row("push_macro", LeftOut, "for the preprocessor"),
    pragma_row("redefine_extname", Refused, "another name for the linker"),
    pragma_row("region", LeftOut, "for editors"),
    pragma_row("scalar_storage_order", Refused, "another layout"),
    pragma_row("system_header", LeftOut, "about warnings"),
    pragma_row("unroll", LeftOut, "a hint to the optimiser"),
    pragma_row("unroll_and_jam", LeftOut, "a hint to the optimiser"),
    pragma_row("unused", LeftOut, "about warnings"),
    pragma_row("warning", LeftOut, "for the preprocessor"),
    pragma_row("weak", Refused, "use the attribute `weak`"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_every_row_has_a_bearer() {
        assert!(ATTRIBUTES.is_sorted_by(|left, right| left.name < right.name));
        for row in ATTRIBUTES {
            assert!(Bearer::ALL.iter().any(|bearer| row.allows(*bearer)), "{}", row.name);
            assert!(row.bearers.chars().all(|letter| "fvtmsl".contains(letter)), "{}", row.name);
        }
    }

    #[test]
    fn the_longest_row_of_a_pragma_is_found() {
        let treatment = |text| pragma(text).map(|row| row.treatment);
        assert_eq!(treatment("STDC FENV_ACCESS OFF"), Some(LeftOut));
        assert_eq!(treatment("STDC  FENV_ACCESS ON"), Some(Refused));
        assert_eq!(treatment("pack(1)"), Some(Implemented));
        assert_eq!(treatment("packed"), None);
        assert_eq!(treatment("GCC"), None);
    }

    #[test]
    fn options_that_change_results_are_known() {
        assert!(options_are_harmless("optimize", "\"O0\", 3, \"no-tree-vectorize\""));
        assert!(options_are_harmless("optimize", "\"no-associative-math\", \"-falign-loops=16\""));
        assert!(!options_are_harmless("optimize", "\"-ffast-math\""));
        assert!(!options_are_harmless("optimize", "\"associative-math\""));
        assert!(!options_are_harmless("optimize", "\"Ofast\""));
        assert!(options_are_harmless("target", "\"no-avx2,tune=generic\""));
        assert!(!options_are_harmless("target", "\"avx2\""));
        assert!(!options_are_harmless("target", "\"sse4.1\""));
        assert!(!options_are_harmless("target", "\"fpmath=387\""));
    }
}
