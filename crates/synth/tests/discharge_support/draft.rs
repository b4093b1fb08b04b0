//! Random drafts as text: every risky operation is the call of a wrapper. They are
//! defined whatever their guards do.

use std::fmt::Write;

use farrier_synth::Choices;

/// What a draft has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    /// Loops, conditions, and functions that are called more than once.
    pub(crate) loops: bool,
    /// `__int128`
    pub(crate) wide: bool,
}

const TYPES: [&str; 14] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "__int128",
    "unsigned __int128",
];

const VALUES: [&str; 12] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "31",
    "32",
    "-128",
    "32767",
    "2147483647",
    "-2147483647 - 1",
    "9223372036854775807ll",
];

/// A draft that is being written.
pub(crate) struct Draft {
    choices: Choices,
    shape: Shape,
    out: String,
    variables: usize,
    /// A call that has an effect may occur once in an expression.
    effect: bool,
    /// How many statements `main` has.
    statements: u64,
}

impl Draft {
    pub(crate) fn new(seed: u64, shape: Shape, statements: u64) -> Self {
        let choices = Choices::new(seed);
        Self { choices, shape, out: String::new(), variables: 0, effect: false, statements }
    }

    /// The text of the draft.
    pub(crate) fn text(mut self) -> String {
        self.out.push_str(
            "int printf(const char *, ...);\n\
             struct s { int f : 5; unsigned g : 7; unsigned h : 1; } s = {-3, 99, 1};\n\
             int counter, seven = 7, array[7] = {1, -2, 2147, 0, 5, -1, 9}, *null, *there = &seven;\n\
             volatile int v = 3; volatile unsigned w = 9; double d = 1e5, huge = 1e30;\n\
             static int bump(int x) { counter = counter ^ x; return x; }\n",
        );
        let types = if self.shape.wide { 14 } else { 12 };
        self.variables = 2 * types;
        for index in 0..self.variables {
            let value = self.choices.pick(&VALUES);
            // The wrap of a conversion gives narrow types all their values too.
            writeln!(self.out, "{} g{index} = {value};", TYPES[index % types])
                .expect("text has no end");
        }
        let functions = if self.shape.loops { 2 } else { 0 };
        for function in 0..functions {
            let body = self.expression(3);
            writeln!(
                self.out,
                "static long long f{function}(int p, unsigned long q)\n{{\n    \
                 long long r = {body};\n    return r ^ p ^ (long long)q;\n}}",
            )
            .expect("text has no end");
        }
        self.out.push_str("int main(void)\n{\n    int i = 1, j = 2;\n");
        for _ in 0..self.statements {
            self.statement(functions);
        }
        for index in 0..self.variables {
            writeln!(self.out, "    printf(\"%llu\\n\", (unsigned long long)g{index});")
                .expect("text has no end");
        }
        self.out.push_str("    printf(\"%d\\n\", counter ^ s.f);\n    return 0;\n}\n");
        self.out
    }

    fn statement(&mut self, functions: u64) {
        self.effect = true;
        let target = self.choices.index(self.variables);
        let value = self.expression(4);
        let line = match self.choices.below(if self.shape.loops { 6 } else { 2 }) {
            0 => format!("g{target} = {value};"),
            1 => format!("s.f = {value};"),
            2 => format!("for (i = -2; i < 9; i++) g{target} = {value};"),
            3 => format!("for (i = 0; i < 3; i++) for (j = i; j < 5; j++) g{target} ^= {value};"),
            4 => format!("if ({value}) g{target} = 1; else g{target} = {};", self.expression(3)),
            _ => {
                self.effect = false;
                let function = self.choices.below(functions);
                let (a, b) = (self.expression(2), self.expression(2));
                format!("for (i = 0; i < 4; i++) g{target} = f{function}({a}, {b});")
            }
        };
        writeln!(self.out, "    {line}").expect("text has no end");
    }

    fn leaf(&mut self) -> String {
        match self.choices.below(12) {
            0 => self.choices.pick(&["0", "1", "-1", "2147483647", "5u", "63l", "'a'"]).into(),
            1 => self.choices.pick(&["s.f", "s.g", "s.h"]).into(),
            2 => self.choices.pick(&["v", "w"]).into(),
            3 => self.choices.pick(&["seven", "array[3]", "*there"]).into(),
            _ => format!("g{}", self.choices.index(self.variables)),
        }
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.choices.chance(10) {
            return self.leaf();
        }
        let next = depth - 1;
        match self.choices.below(20) {
            0 => format!("__farrier_neg_int({})", self.expression(next)),
            1 => {
                let operator = self.choices.pick(&["<", "==", ">=", "&", "|", "^"]);
                format!("({} {operator} {})", self.expression(next), self.expression(next))
            }
            2 => {
                let fallback = self.choices.below(7);
                let ty = self.choices.pick(&TYPES[..12]);
                let index = format!("({ty}){}", self.expression(next));
                format!("array[__farrier_index_int_or({index}, 7, {fallback})]")
            }
            3 => {
                let pointer = self.choices.pick(&["null", "there"]);
                format!("*(int *)__farrier_pointer_or({pointer}, &array[2])")
            }
            4 => {
                let kind = self.choices.pick(&["cast_double_int", "convert_double_int"]);
                let number = self.choices.pick(&["d", "huge", "-huge"]);
                format!("__farrier_{kind}({number} + {})", self.leaf())
            }
            5 if self.effect => {
                self.effect = false;
                format!("bump({})", self.expression(next))
            }
            6 => {
                let ty = self.choices.pick(&TYPES[..12]);
                format!("(({ty}){})", self.expression(next))
            }
            7 if self.shape.loops => {
                let condition = self.leaf();
                let (a, b) = (self.expression(next), self.expression(next));
                format!("({condition} ? {a} : {b})")
            }
            8 if self.shape.loops => {
                format!("({} && {})", self.expression(next), self.expression(next))
            }
            _ => {
                let operator = self.choices.pick(&["add", "sub", "mul", "div", "rem"]);
                let shift = self.choices.pick(&["shl_int", "shr_int"]);
                let operator = if self.choices.chance(30) { shift } else { operator };
                let (a, b) = (self.expression(next), self.expression(next));
                if self.choices.chance(15) {
                    format!("__farrier_{operator}_int_or({a}, {b}, {})", self.choices.below(9))
                } else {
                    format!("__farrier_{operator}_int({a}, {b})")
                }
            }
        }
    }
}
