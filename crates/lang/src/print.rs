//! Programs as C text.
//!
//! Printing is a pure function of the program. The text is self-contained C of the
//! program's dialect with the GNU extensions, and reading it back gives an equal
//! program. Implicit conversions are not printed, parentheses stand only where the
//! grammar needs them, and braces of initialisers are complete.
//!
//! Three things that a built program can hold have no text; the front end never
//! makes them:
//!
//! - an `if` without `else` as the last part of the then-branch of an `if` with
//!   `else`: it is printed inside braces, which read back as a block;
//! - a first clause of `for` that mixes declarations of different base types;
//! - an anonymous member that is used as a whole: its enclosing record is printed.
//!
//! Guards are calls of wrapper functions, defined at the top of the text: see
//! `guards`.
//!
//! The same program can be printed as C++ ([`Language`]), and any of its nodes in another
//! spelling ([`Spellings`]). Such a text is not read back.

mod cplusplus;
mod cuda;
mod declarators;
mod expressions;
mod guards;
mod items;
mod literals;
mod spellings;
mod statements;
mod wrappers;

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::{ExprId, LabelId, ObjectId, StmtId, Symbol};
use crate::program::{Item, Program};
use crate::target::Target;
use crate::types::TypeId;
use crate::wrapper::Wrapper;

pub use spellings::{FunctionSpelling, RecordSpelling, Snippet, Spellings};

/// What the text looks like where the program leaves a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PrintOptions {
    /// How guards are printed.
    pub guards: GuardStyle,
    /// The language of the text.
    pub language: Language,
}

impl PrintOptions {
    /// C, with guards in this style.
    pub fn guards(guards: GuardStyle) -> Self {
        Self { guards, language: Language::C }
    }
}

/// The language of a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Language {
    /// C of the dialect of the program.
    #[default]
    C,
    /// C++11 and later: the same meaning, with casts and initialisers where C++ needs them.
    Cplusplus,
    /// CUDA: the same C++ as code for a device, and a host that starts it.
    Cuda,
}

/// How guards are printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum GuardStyle {
    /// As calls of wrapper functions, which the text defines.
    #[default]
    Wrappers,
    /// The same, but some of the wrappers are macros, as [`wrapper`](crate::wrapper) says: this percentage
    /// of them, and which ones depends on the number.
    Macros {
        /// How many, in percent.
        percent: u8,
        /// Which ones.
        salt: u64,
    },
    /// As the guarded operation alone: for showing a program, and for one whose
    /// guards are known never to fire.
    Bare,
}

/// The program as C text.
pub fn print(program: &Program, options: &PrintOptions) -> String {
    let mut printer = Printer::new(program, *options);
    printer.out.reserve(program.exprs.len() * 8 + program.stmts.len() * 16);
    printer.items(&program.items);
    printer.finish()
}

/// The program as text with some of its nodes spelled in another way.
pub fn print_spelled(program: &Program, options: &PrintOptions, spellings: &Spellings) -> String {
    let mut printer = Printer::new(program, *options);
    printer.spellings = Some(spellings);
    printer.items(&program.items);
    let text = printer.finish();
    match options.language {
        Language::Cuda => cuda::whole(&spellings.prelude, &text),
        _ => format!("{}{text}", spellings.prelude),
    }
}

/// Some items of a program as C text, with the wrappers that they need.
pub fn print_items(program: &Program, items: &[Item], options: &PrintOptions) -> String {
    let mut printer = Printer::new(program, *options);
    printer.items(items);
    printer.finish()
}

/// The definition of a wrapper, as it stands at the top of the text.
pub fn wrapper_definition(target: &Target, wrapper: Wrapper) -> String {
    wrappers::definitions(target, &PrintOptions::default(), &[wrapper].into())
}

/// An expression as C text, guards bare; for messages.
pub fn print_expr(program: &Program, expr: ExprId) -> String {
    text_of(program, |printer| printer.expr(expr, 0))
}

/// A statement as C text, guards bare; for messages.
pub fn print_stmt(program: &Program, stmt: StmtId) -> String {
    text_of(program, |printer| printer.stmt(stmt))
}

/// A type as C text, such as `const int *[3]`.
pub fn type_text(program: &Program, ty: TypeId) -> String {
    text_of(program, |printer| printer.declare(ty, None))
}

/// The declaration of a name in C++, such as `const int *(&name)[3]`; without a name, the type.
pub fn declaration_text(program: &Program, ty: TypeId, name: &str) -> String {
    let options = PrintOptions { guards: GuardStyle::Bare, language: Language::Cplusplus };
    let mut printer = Printer::new(program, options);
    printer.declare_as_text(ty, name);
    printer.finish()
}

/// The objects whose initialiser a jump passes over, in the functions of a program.
pub fn passed_over(program: &Program) -> FxHashSet<ObjectId> {
    let options = PrintOptions { guards: GuardStyle::Bare, language: Language::Cplusplus };
    let mut printer = Printer::new(program, options);
    printer.prepare_cplusplus(&program.items);
    printer.bypassed
}

fn text_of(program: &Program, write: impl FnOnce(&mut Printer<'_>)) -> String {
    let mut printer = Printer::new(program, PrintOptions::guards(GuardStyle::Bare));
    write(&mut printer);
    printer.finish()
}

/// The text so far. Bytes rather than a `String`, so that digits and spaces need no check each.
struct Printer<'a> {
    program: &'a Program,
    options: PrintOptions,
    out: Vec<u8>,
    /// How many levels deep the current statement is.
    indent: usize,
    /// The `#pragma pack` in force.
    pack: Option<u32>,
    /// The wrappers that guards called so far.
    wrappers: BTreeSet<Wrapper>,
    /// The labels that a block declares with `__label__`, in order.
    local_labels: FxHashMap<StmtId, Vec<LabelId>>,
    /// What is spelled in another way.
    spellings: Option<&'a Spellings>,
    /// The spelling that is being written, and how many lie below it.
    plain: Option<(spellings::Spelled, usize)>,
    /// C++: objects of internal linkage that are declared before they are defined.
    forward: FxHashSet<ObjectId>,
    /// C++: local objects whose initialiser a jump passes over.
    bypassed: FxHashSet<ObjectId>,
    /// C++: whether what is being declared is not constant, whatever its type says.
    without_const: bool,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, options: PrintOptions) -> Self {
        Self {
            program,
            options,
            out: Vec::new(),
            indent: 0,
            pack: None,
            wrappers: BTreeSet::new(),
            local_labels: FxHashMap::default(),
            spellings: None,
            plain: None,
            forward: FxHashSet::default(),
            bypassed: FxHashSet::default(),
            without_const: false,
        }
    }

    fn finish(mut self) -> String {
        if !self.wrappers.is_empty() {
            let target = self.program.target;
            let text = wrappers::definitions(target, &self.options, &self.wrappers);
            let mut text = text.into_bytes();
            text.append(&mut self.out);
            self.out = text;
        }
        String::from_utf8(self.out).expect("only whole strings and ASCII bytes are written")
    }

    #[inline]
    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        debug_assert!(byte.is_ascii(), "bytes beyond ASCII are written as strings");
        self.out.push(byte);
    }

    #[inline]
    fn symbol(&mut self, symbol: Symbol) {
        let program = self.program;
        self.text(program.text(symbol));
    }

    /// A number in decimal.
    fn number(&mut self, mut value: u64) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                break;
            }
        }
        self.out.extend_from_slice(&digits[first..]);
    }

    /// The spaces at the start of a line, `outdent` levels fewer than the statement has.
    fn margin(&mut self, outdent: usize) {
        let spaces = self.indent.saturating_sub(outdent) * 4;
        self.out.resize(self.out.len() + spaces, b' ');
    }

    /// The entries of `list` with commas between them.
    fn separated<T>(
        &mut self,
        list: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        for (index, entry) in list.into_iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            write(self, entry);
        }
    }
}
