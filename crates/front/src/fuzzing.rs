//! What must hold for every text, wherever it comes from.
//!
//! The fuzz targets and the tests call these functions, which panic if it does not
//! hold. A program may nest deep: the caller provides a stack of
//! [`STACK_BYTES`](farrier_lang::STACK_BYTES).

use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{Dialect, Program, SourceText, target, well_formed};

use crate::{Failure, Options, parse};

/// Reads `bytes` as a text, the first byte choosing the options. Whether it is accepted.
pub fn check_bytes(bytes: &[u8]) -> bool {
    let (options, bytes) = take_options(bytes);
    check_text(&String::from_utf8_lossy(bytes), &options)
}

/// Reads a text in which each of `bytes` is a token or a few, the first byte choosing
/// the options. Whether it is accepted.
pub fn check_tokens(bytes: &[u8]) -> bool {
    let (options, bytes) = take_options(bytes);
    check_text(&token_soup(bytes), &options)
}

/// The program that [`check_tokens`] reads in `bytes`, if it is accepted.
pub fn token_program(bytes: &[u8]) -> Option<Program> {
    let (options, bytes) = take_options(bytes);
    read(&token_soup(bytes), &options).ok()
}

/// Every text is accepted or refused with a message that has its place. A program that
/// is accepted is well formed, and its text is accepted as an equal program.
pub fn check_text(text: &str, options: &Options) -> bool {
    let program = match read(text, options) {
        Ok(program) => program,
        Err(failure) => {
            check_failure(&failure);
            return false;
        }
    };
    let violations = well_formed::check(&program);
    assert!(violations.is_empty(), "not well formed: {violations:?}");
    let printed = print(&program, &PrintOptions::default());
    match read(&printed, options) {
        Ok(again) => assert!(program == again, "reads back as another program:\n{printed}"),
        Err(failure) => {
            panic!("does not read back: {}\n{printed}", failure.diagnostic.message)
        }
    }
    true
}

fn read(text: &str, options: &Options) -> Result<Program, Box<Failure>> {
    parse(&[SourceText::new("fuzz.c", text)], options)
}

fn check_failure(failure: &Failure) {
    let diagnostic = &failure.diagnostic;
    assert!(!diagnostic.message.is_empty(), "a refusal without a message");
    let spans = diagnostic.notes.iter().map(|note| note.span).chain([diagnostic.span]);
    for span in spans {
        assert!(span.start <= span.end, "{}: a place that ends early", diagnostic.message);
        assert!(
            failure.sources.excerpt(span).is_some() && failure.sources.place(span).is_some(),
            "{}: a place outside the text",
            diagnostic.message
        );
    }
}

fn take_options(bytes: &[u8]) -> (Options, &[u8]) {
    let (choice, rest) = match bytes {
        [first, rest @ ..] => (usize::from(*first), rest),
        [] => (0, bytes),
    };
    let options = Options {
        target: target::TARGETS[choice % target::TARGETS.len()],
        dialect: Dialect::ALL[choice / 4 % Dialect::ALL.len()],
        permissive: choice / 16 % 2 == 1,
    };
    (options, rest)
}

/// What a byte of the token soup stands for: the byte modulo the length of this table.
/// New fragments go to its end, so that inputs kept from earlier still mean the same.
#[rustfmt::skip] // One fragment a line would be two hundred lines.
const FRAGMENTS: &[&str] = &[
    // Statements and declarations, whole or begun: most of what is drawn fits.
    "x = y;", "p = &x;", "*p += 1;", "u <<= x & 7;", "a[x & 3] = y;", "s.b = x;", "ps->c[1]++;",
    "d = x / 2.5;", "l = (long)u * x;", "t = s;", "q = &a[1];", "x = f(y, d);", "fp = f;",
    "if (x)", "else", "while (x--)", "do", "while (x);", "for (;;)", "for (int i = 0; i < 3; i++)",
    "switch (x)", "case 1:", "case 2 ... 5:", "default:", "break;", "continue;", "return x;",
    "goto label;", "label:", "{", "}", ";", "int z = 1;", "int z[] = { 1, [3] = 2 };",
    "static const char text[] = \"ab\\n\";", "struct s w = { .b = 1, { 1, 2 } };", "int m[x];",
    "typedef unsigned word;", "word n;", "enum e { A, B = 4, C };", "union v { int i; float f; } v;",
    "register int r;", "volatile int vol;", "_Alignas(8) char al;", "extern int ext;",
    "__builtin_abort();", "x = __builtin_add_overflow(x, y, &x);", "asm(\"\" : \"+r\"(x));",
    "x = sizeof(int[y]);", "v4 = v4 + v4;", "x = v4[1];", "c = c * 2.0i;", "printf(\"%d\", x);",
    "x = ({ int k = 2; k; });", "_Static_assert(1, \"\");", "__label__ here;", "goto *&&label;",
    "int g(int k, ...) { return k; }", "int old(a, b) int a; char b; { return a; }",
    "__attribute__((noinline))", "#pragma pack(1)\n", "#pragma GCC unroll 2\n",
    "#pragma omp simd reduction(+:x)\n", "# 7 \"other.c\"\n",
    // Expressions.
    "x", "y", "p", "u", "a", "s", "ps", "d", "l", "t", "q", "f", "fp", "c", "v4", "b", "A", "w",
    "0", "1", "42u", "0x7fffffffL", "077", "1.5", "2e3f", "0x1p-3", "'c'", "L'w'", "\"str\"", "u8\"x\"",
    "(", ")", "[", "]", ".", "->", ",", "?", ":", "=", "+", "-", "*", "/", "%", "&", "|", "^", "~",
    "!", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "<<=", "...",
    "sizeof", "_Alignof", "_Generic(x, int: 1, default: 2)", "__builtin_offsetof(struct s, b)",
    "__builtin_va_arg", "__real__", "(int)", "(struct s){ 1 }", "&x", "*p", "f(", "a[",
    // Types and specifiers.
    "int", "char", "unsigned", "long", "short", "float", "double", "_Bool", "_Complex", "void",
    "struct", "union", "enum", "const", "volatile", "static", "extern", "inline", "typedef",
    "__int128", "_Atomic", "restrict", "__typeof__(x)", "struct s", "int (*", "(void)", "_Noreturn",
    "auto", "_Thread_local", "_BitInt(7)", "nullptr", "\\", "@", "\u{e9}",
];

/// Things for the soup to talk about.
const PRELUDE: &str = "int x, y, a[4], *p; unsigned u; long l; double d; _Complex double c;\n\
    struct s { int b; char c[2]; unsigned m : 3; struct s *next; } s, t, *ps;\n\
    typedef int v4si __attribute__((vector_size(16))); v4si v4;\n\
    int *q; int printf(const char *, ...); int f(int, double); int (*fp)(int, double);\n";

/// The text that `bytes` choose. Brackets are closed, and only where one is open;
/// otherwise hardly any soup would be accepted.
fn token_soup(bytes: &[u8]) -> String {
    let mut text = PRELUDE.to_owned();
    let mut open = Vec::new();
    let (within_function, bytes) = match bytes {
        [first, rest @ ..] => (first % 4 != 0, rest),
        [] => (false, bytes),
    };
    if within_function {
        text.push_str("int main(void) {\n");
        open.push('}');
    }
    for byte in bytes {
        let fragment = FRAGMENTS[usize::from(*byte) % FRAGMENTS.len()];
        let mut inside = open.clone();
        if fragment.chars().all(|bracket| follow(&mut inside, bracket)) {
            open = inside;
            text.push_str(fragment);
            text.push(if fragment.ends_with(';') { '\n' } else { ' ' });
        }
    }
    while let Some(bracket) = open.pop() {
        if bracket == '}' {
            // A label needs a statement after it.
            text.push(';');
        }
        text.push(bracket);
    }
    text
}

/// Keeps the closing brackets that are due; false if this is another one.
fn follow(open: &mut Vec<char>, bracket: char) -> bool {
    match bracket {
        '(' => open.push(')'),
        '[' => open.push(']'),
        '{' => open.push('}'),
        ')' | ']' | '}' => return open.pop() == Some(bracket),
        _ => {}
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fragment_can_be_chosen_and_fits_itself() {
        assert!(FRAGMENTS.len() <= 256, "a byte cannot choose the last of {}", FRAGMENTS.len());
        for closer in [")", "]", "}"] {
            assert!(FRAGMENTS.contains(&closer), "what is opened can be closed by {closer}");
        }
    }

    #[test]
    fn soup_is_balanced() {
        let position = |wanted: &str| -> u8 {
            let found = FRAGMENTS.iter().position(|fragment| *fragment == wanted);
            u8::try_from(found.unwrap()).unwrap()
        };
        let bytes = ["x", "(", "]", "y", "{"].map(position);
        let soup = token_soup(&[&[1], &bytes[..]].concat());
        assert_eq!(soup.strip_prefix(PRELUDE), Some("int main(void) {\nx ( y { ;});}"));
    }
}
