//! Statements.

use thin_vec::ThinVec;

use crate::arena::{AsmId, ExprId, FunctionId, LabelId, ObjectId, RecordId, StmtId};
use crate::hint::Hint;

/// The forms of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// `;`
    Empty,
    /// `expression;`
    Expr(ExprId),
    /// `{ ... }`
    Block(ThinVec<StmtId>),
    /// The declaration of one object, with its initialiser if it has one.
    Declare(ObjectId),
    /// The definition of a struct or union that mentions the length of a variable array:
    /// the lengths are computed when it is reached. Any other record is an item.
    DefineRecord(RecordId),
    /// GNU C: the definition of a function inside another. It has no linkage, and its body may
    /// use what is visible here.
    DefineFunction(FunctionId),
    /// `if (condition) then else otherwise`
    If {
        /// A scalar.
        condition: ExprId,
        /// Runs if the condition is not zero.
        then: StmtId,
        /// Runs if it is zero.
        otherwise: Option<StmtId>,
    },
    /// `while (condition) body`
    While {
        /// A scalar.
        condition: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do body while (condition);`
    DoWhile {
        /// The body.
        body: StmtId,
        /// A scalar.
        condition: ExprId,
    },
    /// `for (init; condition; step) body`
    For {
        /// Expressions and declarations, in order; several where one declaration
        /// introduces several objects.
        init: ThinVec<StmtId>,
        /// A scalar; absent means always true.
        condition: Option<ExprId>,
        /// Evaluated after each round.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `switch (value) body`
    Switch {
        /// An integer, promoted.
        value: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `case first:` or, in GNU C, `case first ... last:`
    Case {
        /// An integer constant expression, converted to the type of the switch.
        first: ExprId,
        /// The end of a range, which it includes.
        last: Option<ExprId>,
        /// The labelled statement.
        body: StmtId,
    },
    /// `default:`
    Default(StmtId),
    /// `label:`
    Label(LabelId, StmtId),
    /// `goto label;`
    Goto(LabelId),
    /// `goto *expression;`
    GotoComputed(ExprId),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;` or `return value;`
    Return(Option<ExprId>),
    /// `asm (...);`
    Asm(AsmId),
    /// `__attribute__((fallthrough));`
    Fallthrough,
    /// A loop, and what `#pragma` lines before it say of it.
    Hinted {
        /// The hints, in order: one at least.
        hints: ThinVec<Hint>,
        /// The loop.
        body: StmtId,
    },
}

impl Stmt {
    /// Whether it is a loop.
    pub fn is_loop(&self) -> bool {
        matches!(self, Self::For { .. } | Self::While { .. } | Self::DoWhile { .. })
    }

    /// Calls `visit` with each statement directly inside this one, in order.
    /// The body of a function that it defines is not among them.
    pub fn for_each_child(&self, mut visit: impl FnMut(StmtId)) {
        match self {
            Self::Empty
            | Self::Expr(_)
            | Self::Declare(_)
            | Self::DefineRecord(_)
            | Self::DefineFunction(_)
            | Self::Goto(_)
            | Self::GotoComputed(_)
            | Self::Break
            | Self::Continue
            | Self::Return(_)
            | Self::Asm(_)
            | Self::Fallthrough => {}
            Self::Block(statements) => statements.iter().copied().for_each(visit),
            Self::If { then, otherwise, .. } => {
                visit(*then);
                otherwise.iter().copied().for_each(visit);
            }
            Self::While { body, .. }
            | Self::DoWhile { body, .. }
            | Self::Switch { body, .. }
            | Self::Hinted { body, .. }
            | Self::Case { body, .. }
            | Self::Default(body)
            | Self::Label(_, body) => visit(*body),
            Self::For { init, body, .. } => {
                init.iter().copied().for_each(&mut visit);
                visit(*body);
            }
        }
    }

    /// Calls `visit` with each expression directly inside this statement, in order.
    /// The initialiser of a declared object and the operands of an `asm` are not among them.
    pub fn for_each_expr(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            Self::Expr(value) | Self::GotoComputed(value) => visit(*value),
            Self::If { condition, .. }
            | Self::While { condition, .. }
            | Self::DoWhile { condition, .. } => visit(*condition),
            Self::Switch { value, .. } => visit(*value),
            Self::For { condition, step, .. } => {
                condition.iter().chain(step).copied().for_each(visit);
            }
            Self::Case { first, last, .. } => {
                visit(*first);
                last.iter().copied().for_each(visit);
            }
            Self::Return(value) => value.iter().copied().for_each(visit),
            Self::Hinted { hints, .. } => {
                hints.iter().filter_map(|hint| hint.object).for_each(visit);
            }
            Self::Empty
            | Self::Block(_)
            | Self::Declare(_)
            | Self::DefineRecord(_)
            | Self::DefineFunction(_)
            | Self::Default(_)
            | Self::Label(..)
            | Self::Goto(_)
            | Self::Break
            | Self::Continue
            | Self::Asm(_)
            | Self::Fallthrough => {}
        }
    }
}
