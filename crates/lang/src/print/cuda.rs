//! Where CUDA differs from C++.
//!
//! All of a program is code for the device. A kernel for one thread calls what was `main`, and a
//! `main` for the host starts the kernel and returns its status.
//!
//! | C++ | CUDA |
//! |---|---|
//! | functions and objects at file scope | they begin with `__device__` |
//! | `main` | `farrier_main`, which the kernel calls |
//! | declarations of functions of the library | headers have them |
//! | a `static` object may be declared first | it is defined where it is declared first |
//! | builtins, and functions that devices do not have | functions of `cuda.cu`, by the same names |

use std::sync::LazyLock;

use super::{Language, Printer};
use crate::arena::{ExprId, StmtId};
use crate::expr::{BinaryOp, ExprKind, UnaryOp};
use crate::float::FloatValue;
use crate::stmt::Stmt;
use crate::target::FloatFormat;
use crate::types::Type;

/// What a function or an object of the device begins with.
pub(super) const DEVICE: &str = "__device__ ";

/// What `main` is called on the device.
const MAIN: &str = "farrier_main";

/// What stands before the names of our own functions.
const OWN: &str = "farrier_";

/// Functions for devices, with empty lines between them. Each may call those before it.
const FUNCTIONS: &str = include_str!("cuda.cu");

/// The head of every text.
const HEAD: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";

/// The end of every text.
const END: &str = "\
__device__ int farrier_status;
__global__ void farrier_kernel()
{
    farrier_status = farrier_main();
}
int main()
{
    int status = 1;
    farrier_kernel<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 125;
    cudaMemcpyFromSymbol(&status, farrier_status, sizeof status);
    return status;
}
";

/// The functions of the table with their names.
static TABLE: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let blocks = FUNCTIONS.split("\n\n").map(str::trim).filter(|block| block.starts_with("__dev"));
    blocks.filter_map(|block| Some((name_of(block)?, block))).collect()
});

/// The name of the function that a block defines.
fn name_of(block: &str) -> Option<&str> {
    let (_, rest) = block.split_once(OWN)?;
    rest.split('(').next()
}

/// The whole text of a program: headers, functions of the table that it calls, what a dressing
/// puts at the top, the program, and what starts it.
pub(super) fn whole(prelude: &str, text: &str) -> String {
    let mut wanted: Vec<&str> = Vec::new();
    for (name, block) in TABLE.iter().rev() {
        let call = format!("{OWN}{name}(");
        if text.contains(&call) || wanted.iter().any(|later| later.contains(&call)) {
            wanted.push(block);
        }
    }
    let functions: String = wanted.iter().rev().flat_map(|block| [*block, "\n"]).collect();
    format!("{HEAD}{prelude}{functions}{text}{END}")
}

impl Printer<'_> {
    pub(super) fn is_cuda(&self) -> bool {
        self.options.language == Language::Cuda
    }

    /// Whether a block ends in `return`.
    pub(super) fn returns(&self, body: StmtId) -> bool {
        match &self.program[body] {
            Stmt::Block(list) => list.last().is_some_and(|last| self.returns(*last)),
            stmt => matches!(stmt, Stmt::Return(_)),
        }
    }

    /// `__device__`, where that is needed.
    pub(super) fn device(&mut self) {
        if self.is_cuda() {
            self.text(DEVICE);
        }
    }

    /// Writes a constant that is too small for its type, where nvcc takes the conversion for one
    /// that is done when the program runs; false if it is no such constant.
    pub(super) fn tiny(&mut self, value: ExprId) -> bool {
        let is_single = |ty| {
            let kind = match self.program.resolve(ty) {
                Type::Float(kind) => self.program.target.float_scalar(*kind),
                _ => None,
            };
            kind.is_some_and(|(_, format)| format == FloatFormat::Single)
        };
        let (ExprKind::Convert(operand) | ExprKind::Cast(operand)) = self.program[value].kind
        else {
            return false;
        };
        if !self.is_cuda() || !is_single(self.program.type_of(value)) {
            return false;
        }
        let Some(wide) = self.wide_constant(operand) else { return false };
        let (narrow, is_exact) = wide.convert(FloatFormat::Single);
        let least = FloatValue::smallest_normal(FloatFormat::Single);
        let size = if narrow.is_negative() { narrow.negate() } else { narrow };
        let is_tiny = size.comparison(BinaryOp::Less, least) == Some(true);
        match narrow.decimal() {
            Some(text) if is_tiny && !is_exact => self.text(&format!("{text}f")),
            _ => return false,
        }
        true
    }

    /// The value of a constant of type `double`, with or without a sign.
    fn wide_constant(&self, expr: ExprId) -> Option<FloatValue> {
        match self.program[expr].kind {
            ExprKind::Float(id) => {
                let Type::Float(kind) = *self.program.resolve(self.program.type_of(expr)) else {
                    return None;
                };
                let (_, format) = self.program.target.float_scalar(kind)?;
                Some(FloatValue { format, bits: self.program[id] })
            }
            ExprKind::Unary(UnaryOp::Minus, operand) => Some(self.wide_constant(operand)?.negate()),
            _ => None,
        }
    }

    /// Whether a builtin is a function of our own on the device.
    pub(super) fn is_own(&self, builtin: &str) -> bool {
        let name = builtin.strip_prefix("__builtin_");
        self.is_cuda() && TABLE.iter().any(|(known, _)| name == Some(*known))
    }

    /// The name of a function that the program does not define, or of `main`.
    pub(super) fn device_name(&mut self, name: &str) {
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        if TABLE.iter().any(|(known, _)| *known == name) {
            self.text(OWN);
        }
        self.text(if name == "main" { MAIN } else { name });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_of_the_table_has_a_name() {
        let heads = FUNCTIONS.matches("__device__").count();
        assert_eq!(TABLE.len(), heads);
        assert!(TABLE.iter().any(|(name, _)| *name == "memmove"));
    }

    #[test]
    fn a_text_has_the_functions_that_it_calls_and_those_that_these_call() {
        let text = whole("", "int x = farrier_parityl(3);\n");
        assert!(text.contains("farrier_popcountl(unsigned long"), "{text}");
        assert!(!text.contains("farrier_memmove"), "{text}");
    }
}
