//! The language of idioms: expressions of C with holes, read once from the text of a row.
//!
//! | text | stands for |
//! |---|---|
//! | `x`, `y`, `z`, `n` | values; `n` is a count of bits. The type of `x` is the type of the idiom |
//! | `A`, `B`, `C`, `D` | constants at borders of the type, often close to one another |
//! | `K`, `M`, `d`, `o` | a power of two, a mask, a divisor, an odd number |
//! | `s`, `t` | constant counts from 1 to the width less 1 |
//! | `W`, `MIN`, `MAX` | the width of the type, its limits |
//! | `{...}` | the constant that the expression in braces gives |
//! | `@`, `#`, `$`, `@&` | any comparison; `&`, `\|` or `^`; `+` or `-`; `&&` or `\|\|` |
//! | `(T)`, `(U)`, `(S)` | casts to the type, to it without sign, to it with sign |
//! | `(N)`, `(V)`, `(int)`, `(bool)` | casts to a narrower type, to a wider one, to these |
//! | `clz(x)` | `__builtin_clz` for the width of the operand, and so for others |
//! | `add_overflow(x, y, &x)` | the builtin, with a variable for its result |

use farrier_lang::{BinaryOp, LogicalOp, UnaryOp};

use crate::features::Feature;

/// The names of values, in the order of their numbers.
pub(super) const VALUES: &[u8] = b"xyzn";

/// The letters of constants.
pub(super) const CONSTANTS: &[u8] = b"ABCDKMdostW";

/// The builtins that are undefined for zero.
const NONZERO: [&str; 2] = ["clz", "ctz"];

/// A type that a cast names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Named {
    Same,
    Unsigned,
    Signed,
    Narrower,
    Wider,
    Int,
    Bool,
}

/// The words for types.
const TYPES: [(&str, Named); 7] = [
    ("T", Named::Same),
    ("U", Named::Unsigned),
    ("S", Named::Signed),
    ("N", Named::Narrower),
    ("V", Named::Wider),
    ("int", Named::Int),
    ("bool", Named::Bool),
];

/// A part of an idiom.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A value, by its number in [`VALUES`].
    Value(usize),
    /// A constant, by its number in [`CONSTANTS`].
    Constant(usize),
    Least,
    Most,
    Number(i128),
    /// A constant that is computed while drafting.
    Folded(Box<Node>),
    Unary(UnaryOp, Box<Node>),
    /// One of several operators.
    Binary(&'static [BinaryOp], Box<[Node; 2]>),
    Logical(&'static [LogicalOp], Box<[Node; 2]>),
    Select(Box<[Node; 3]>),
    Cast(Named, Box<Node>),
    /// A builtin on bits, by the middle of its name.
    Bits(&'static str, Box<Node>),
    /// A builtin on two operands that writes to a value.
    Overflow(&'static str, Box<[Node; 2]>, usize),
}

impl Node {
    pub(super) fn for_each_child<'a>(&'a self, mut visit: impl FnMut(&'a Self)) {
        match self {
            Self::Unary(_, inner) | Self::Cast(_, inner) | Self::Bits(_, inner) => visit(inner),
            Self::Binary(_, parts) | Self::Logical(_, parts) | Self::Overflow(_, parts, _) => {
                parts.iter().for_each(visit);
            }
            Self::Select(parts) => parts.iter().for_each(visit),
            _ => {}
        }
    }

    /// Whether some part is like that, or all of it.
    pub(super) fn any(&self, test: &impl Fn(&Self) -> bool) -> bool {
        let mut found = test(self);
        self.for_each_child(|child| found = found || child.any(test));
        found
    }

    /// How many operators there are.
    pub(super) fn operators(&self) -> usize {
        let mut count = usize::from(!self.is_leaf());
        self.for_each_child(|child| count += child.operators());
        count
    }

    pub(super) fn is_leaf(&self) -> bool {
        matches!(
            self,
            Self::Value(_)
                | Self::Constant(_)
                | Self::Least
                | Self::Most
                | Self::Number(_)
                | Self::Folded(_)
        )
    }

    /// Whether all of it can be computed earlier: it writes nothing, and is defined whatever
    /// the test around it says.
    pub(super) fn moves(&self) -> bool {
        !self.any(&|node| match node {
            Self::Overflow(..) => true,
            Self::Bits(name, _) => NONZERO.contains(name),
            _ => false,
        })
    }

    /// The features that a program must have, beside those of types.
    fn features(&self, out: &mut Vec<Feature>) {
        out.extend(match self {
            Self::Unary(..) => Some(Feature::Unary),
            Self::Binary(ops, _) => Some(match ops[0] {
                BinaryOp::Add | BinaryOp::Sub => Feature::Arithmetic,
                BinaryOp::Mul => Feature::Multiplication,
                BinaryOp::Div | BinaryOp::Rem => Feature::Division,
                BinaryOp::Shl | BinaryOp::Shr => Feature::Shift,
                BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => Feature::Bitwise,
                _ => Feature::Comparison,
            }),
            Self::Logical(..) => Some(Feature::Logical),
            Self::Select(_) => Some(Feature::Ternary),
            Self::Cast(..) => Some(Feature::Cast),
            Self::Bits("bswap", _) => Some(Feature::ByteSwap),
            Self::Bits(..) => Some(Feature::BitBuiltin),
            Self::Overflow(..) => Some(Feature::OverflowBuiltin),
            _ => None,
        });
        match self {
            Self::Cast(Named::Int, _) => out.push(Feature::Int),
            Self::Cast(Named::Bool, _) => out.push(Feature::Bool),
            _ => {}
        }
        self.for_each_child(|child| child.features(out));
    }
}

/// An idiom, read from its text.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) node: Node,
    /// The features that a program must have.
    pub(super) features: Vec<Feature>,
    /// Whether one of its values must be a variable that it may write.
    pub(super) writes: bool,
    /// Whether the type must be one that the builtins on bits take.
    pub(super) bits: bool,
    /// Whether a builtin in it is defined only because of a test or a bit beside it.
    pub(super) fragile: bool,
}

impl Template {
    /// Reads an idiom. The table is fixed, so a mistake in it is a mistake of the program.
    pub(super) fn read(text: &str) -> Self {
        let mut reader = Reader { text, rest: text };
        let node = reader.select();
        assert!(reader.rest.is_empty(), "{text}: what is {}?", reader.rest);
        let mut features = Vec::new();
        node.features(&mut features);
        features.sort_unstable();
        features.dedup();
        let writes = node.any(&|node| matches!(node, Node::Overflow(..)));
        let bits = node.any(&|node| matches!(node, Node::Bits(..)));
        let fragile =
            node.any(&|node| matches!(node, Node::Bits(name, _) if NONZERO.contains(name)));
        Self { node, features, writes, bits, fragile }
    }
}

/// The binary operators: how they are written, how strongly they bind, and what they are.
/// Those that begin like others come first.
#[rustfmt::skip]
const OPERATORS: &[(&str, u32, Operator)] = &[
    ("@&", 1, Operator::Logical(&[LogicalOp::And, LogicalOp::Or])),
    ("||", 1, Operator::Logical(&[LogicalOp::Or])),
    ("&&", 2, Operator::Logical(&[LogicalOp::And])),
    ("<<", 8, Operator::Binary(&[BinaryOp::Shl])),
    (">>", 8, Operator::Binary(&[BinaryOp::Shr])),
    ("<=", 7, Operator::Binary(&[BinaryOp::LessEqual])),
    (">=", 7, Operator::Binary(&[BinaryOp::GreaterEqual])),
    ("==", 6, Operator::Binary(&[BinaryOp::Equal])),
    ("!=", 6, Operator::Binary(&[BinaryOp::NotEqual])),
    ("@", 7, Operator::Binary(&[BinaryOp::Less, BinaryOp::LessEqual, BinaryOp::Greater, BinaryOp::GreaterEqual, BinaryOp::Equal, BinaryOp::NotEqual])),
    ("#", 3, Operator::Binary(&[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor])),
    ("$", 9, Operator::Binary(&[BinaryOp::Add, BinaryOp::Sub])),
    ("<", 7, Operator::Binary(&[BinaryOp::Less])),
    (">", 7, Operator::Binary(&[BinaryOp::Greater])),
    ("|", 3, Operator::Binary(&[BinaryOp::BitOr])),
    ("^", 4, Operator::Binary(&[BinaryOp::BitXor])),
    ("&", 5, Operator::Binary(&[BinaryOp::BitAnd])),
    ("+", 9, Operator::Binary(&[BinaryOp::Add])),
    ("-", 9, Operator::Binary(&[BinaryOp::Sub])),
    ("*", 10, Operator::Binary(&[BinaryOp::Mul])),
    ("/", 10, Operator::Binary(&[BinaryOp::Div])),
    ("%", 10, Operator::Binary(&[BinaryOp::Rem])),
];

#[derive(Clone, Copy)]
enum Operator {
    Binary(&'static [BinaryOp]),
    Logical(&'static [LogicalOp]),
}

/// The builtins that idioms have.
const BITS: [&str; 7] = ["clz", "ctz", "popcount", "parity", "ffs", "clrsb", "bswap"];
const OVERFLOWS: [&str; 3] = ["add_overflow", "sub_overflow", "mul_overflow"];

/// Reads the text of an idiom from left to right.
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl Reader<'_> {
    /// Whether the text goes on with this; if so it is read.
    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest.strip_prefix(word);
        if let Some(rest) = found {
            self.rest = rest.trim_start();
        }
        found.is_some()
    }

    fn expect(&mut self, word: &str) {
        assert!(self.eat(word), "{}: {word} is missing before {}", self.text, self.rest);
    }

    fn select(&mut self) -> Node {
        let condition = self.binary(1);
        if !self.eat("?") {
            return condition;
        }
        let then = self.select();
        self.expect(":");
        let otherwise = self.select();
        Node::Select(Box::new([condition, then, otherwise]))
    }

    fn binary(&mut self, strength: u32) -> Node {
        let mut left = self.unary();
        loop {
            let found = OPERATORS.iter().find(|(text, ..)| self.rest.starts_with(text));
            let Some((text, binding, operator)) = found.filter(|row| row.1 >= strength) else {
                return left;
            };
            self.expect(text);
            let parts = Box::new([left, self.binary(binding + 1)]);
            left = match operator {
                Operator::Binary(ops) => Node::Binary(ops, parts),
                Operator::Logical(ops) => Node::Logical(ops, parts),
            };
        }
    }

    fn unary(&mut self) -> Node {
        let operators = [("-", UnaryOp::Minus), ("~", UnaryOp::BitNot), ("!", UnaryOp::Not)];
        for (text, op) in operators {
            if self.eat(text) {
                return Node::Unary(op, Box::new(self.unary()));
            }
        }
        if self.eat("{") {
            let inner = self.select();
            self.expect("}");
            return Node::Folded(Box::new(inner));
        }
        if self.eat("(") {
            let rest = self.rest;
            let named = TYPES.into_iter().find(|(word, _)| {
                rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(')'))
            });
            if let Some((word, named)) = named {
                self.expect(word);
                self.expect(")");
                return Node::Cast(named, Box::new(self.unary()));
            }
            let inner = self.select();
            self.expect(")");
            return inner;
        }
        self.word()
    }

    /// A number, a hole, a limit or a call.
    fn word(&mut self) -> Node {
        let end = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b'_';
        let length = self.rest.bytes().position(|byte| end(&byte)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest.trim_start();
        if let Ok(number) = word.parse() {
            return Node::Number(number);
        }
        let find = |names: &[&'static str]| names.iter().copied().find(|name| *name == word);
        if let Some(name) = find(&BITS) {
            self.expect("(");
            let inner = self.select();
            self.expect(")");
            return Node::Bits(name, Box::new(inner));
        }
        if let Some(name) = find(&OVERFLOWS) {
            self.expect("(");
            let left = self.select();
            self.expect(",");
            let right = self.select();
            self.expect(",");
            self.expect("&");
            let Node::Value(target) = self.word() else { panic!("{}: no variable", self.text) };
            self.expect(")");
            return Node::Overflow(name, Box::new([left, right]), target);
        }
        let letter = |names: &[u8]| match word.as_bytes() {
            [letter] => names.iter().position(|name| name == letter),
            _ => None,
        };
        match word {
            "MIN" => Node::Least,
            "MAX" => Node::Most,
            _ => match (letter(VALUES), letter(CONSTANTS)) {
                (Some(value), _) => Node::Value(value),
                (_, Some(constant)) => Node::Constant(constant),
                _ => panic!("{}: what is {word}?", self.text),
            },
        }
    }
}
