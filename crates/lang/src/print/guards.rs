//! Guards as text: calls of [wrappers](crate::wrapper).

use super::Printer;
use crate::arena::ExprId;
use crate::expr::{Expr, ExprKind, Fallback, GuardCheck};
use crate::wrapper::{Wrapper, guard_name};

impl Printer<'_> {
    /// The call of a wrapper.
    pub(super) fn guard_call(&mut self, wrapper: Wrapper, guard: &Expr) {
        let program = self.program;
        let ExprKind::Guard { check, operand, fallback } = guard.kind else {
            unreachable!("only guards have wrappers")
        };
        self.wrappers.insert(wrapper);
        if wrapper.is_cast_at_call() {
            self.type_in_parentheses(guard.ty);
        }
        self.text(&guard_name(wrapper));
        self.byte(b'(');
        let in_macro = wrapper.is_macro(self.options.guards);
        match (check, &program.exprs[operand].kind) {
            (GuardCheck::Index { bound }, _) => {
                self.argument(operand, in_macro);
                self.text(", ");
                self.wide_number(i128::from(bound));
            }
            (GuardCheck::Pointer, _) => self.argument(operand, in_macro),
            (_, &ExprKind::Binary(_, left, right)) => {
                self.argument(left, in_macro);
                self.text(", ");
                self.argument(right, in_macro);
            }
            (
                _,
                &(ExprKind::Unary(_, value) | ExprKind::Convert(value) | ExprKind::Cast(value)),
            ) => self.argument(value, in_macro),
            _ => unreachable!("`wrapper_of` knows no other operations"),
        }
        if let Fallback::Value(value) = fallback {
            self.text(", ");
            self.argument(value, in_macro);
        }
        self.byte(b')');
    }

    /// An argument of a wrapper. Commas inside braces and brackets would end that of a
    /// macro.
    fn argument(&mut self, expr: ExprId, in_macro: bool) {
        let start = self.out.len();
        self.assignment_expr(expr);
        if in_macro && ends_early(&self.out[start..]) {
            self.out.insert(start, b'(');
            self.byte(b')');
        }
    }
}

/// Whether a macro could take a part of this text for an argument of its own: it has braces,
/// or a comma in brackets that is not in parentheses.
fn ends_early(argument: &[u8]) -> bool {
    let (mut parentheses, mut quote, mut escaped) = (0, None, false);
    argument.iter().any(|byte| {
        if let Some(end) = quote {
            if *byte == end && !escaped {
                quote = None;
            }
            escaped = *byte == b'\\' && !escaped;
            return false;
        }
        match byte {
            b'(' => parentheses += 1,
            b')' => parentheses -= 1,
            b'"' | b'\'' => quote = Some(*byte),
            _ => {}
        }
        *byte == b'{' || *byte == b',' && parentheses == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_that_would_end_an_argument() {
        for (argument, wanted) in [
            ("a + b", false),
            ("f(a, b)", false),
            ("a[b]", false),
            ("a[(b, c)]", false),
            ("a[b, c]", true),
            ("f(a[b], c)[d, e]", true),
            ("(struct s){1, 2}.a", true),
            (r#"a["(,"[0]]"#, false),
            (r#"a[")"[0], b]"#, true),
            (r#"a["\")("[0], b]"#, true),
            ("a[',']", false),
            (r"a['\'' , b]", true),
        ] {
            assert_eq!(ends_early(argument.as_bytes()), wanted, "{argument}");
        }
    }
}
