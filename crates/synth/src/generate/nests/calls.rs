//! Small pure functions that nests call: their numbers are as small as those of nests.

use farrier_lang::{BinaryOp, FunctionId, IntKind, Linkage, Stmt, StmtId, TypeId, Types};

use crate::features::Feature;
use crate::generate::draft::{Draft, Role};

/// The most operations and nodes of such a function.
const BUDGET: (u64, usize) = (60, 60);

/// How many functions a program has for nests, and how many calls make a new one, in percent.
const MOST: usize = 5;
const NEW: u32 = 25;

/// How many are not inlined, in percent, and what is said of those.
const APART: u32 = 35;
const ATTRIBUTES: [&str; 3] = ["noinline", "const", "pure"];

/// How many choose between two values, in percent.
const CHOOSING: u32 = 50;

/// A function that nests call.
#[derive(Clone, Copy, Debug)]
pub(in crate::generate) struct NestHelper {
    function: FunctionId,
    parameter: TypeId,
    cost: u64,
}

impl Draft<'_> {
    pub(super) fn can_call_nest_helper(&self) -> bool {
        self.has(Feature::Helper) && self.has(Feature::Call) && self.spare() > BUDGET.0
    }

    /// `a[i] = f(b[i], k);`
    pub(super) fn nest_call(&mut self) -> Option<Vec<StmtId>> {
        let old = self.stock.nest_helpers.clone();
        let helper = match old.len() < MOST && (old.is_empty() || self.choices.chance(NEW)) {
            true => self.nest_helper()?,
            false => self.choices.pick_any(&old)?,
        };
        let mut arguments = Vec::new();
        for _ in 0..2 {
            let value = self.nest_value(1)?;
            arguments.push(self.as_small(value, helper.parameter));
        }
        self.charge(helper.cost);
        let designator = self.function_expr(helper.function);
        let value = self.call_of(designator, arguments);
        let place = self.nest_place()?;
        let assign = self.nest_store(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    fn nest_helper(&mut self) -> Option<NestHelper> {
        let kind = self.narrow_kind(IntKind::Int);
        let parameter = Types::int(kind);
        let result = self.choices.pick(&[IntKind::Short, IntKind::Int, IntKind::SChar]);
        let result = self.narrow_kind(result);
        let linkage = if self.config.split == 0 { Linkage::Internal } else { Linkage::External };
        let function = self.new_function(Types::int(result), vec![parameter, parameter], linkage);
        let scope = self.scope_of(function, |_, _, _| (true, false));
        let parameters = self.program[function].parameters.clone();
        let index = self.define_function(function, Role::Nest, scope, BUDGET, |draft| {
            let ops = draft.helper_operators();
            let operate = |draft: &mut Self| {
                let op = draft.choices.pick(&ops);
                let (left, right) = (draft.load(parameters[0]), draft.load(parameters[1]));
                draft.nest_operate(op, left, right)
            };
            let mut value = operate(draft);
            if draft.has(Feature::Ternary)
                && draft.has(Feature::Comparison)
                && draft.choices.chance(CHOOSING)
            {
                let (left, right) = (draft.load(parameters[0]), draft.load(parameters[1]));
                let condition = draft.binary(BinaryOp::Less, left, right);
                let other = operate(draft);
                value = draft.select(condition, value, other);
            }
            let value = draft.as_small(value, Types::int(result));
            draft.charge_expr(value);
            let end = draft.stmt(Stmt::Return(Some(value)));
            draft.block_of(vec![end])
        });
        let cost = self.stock.callees[index].cost;
        if linkage == Linkage::Internal && self.wants(Feature::Inline) {
            self.program[function].specifiers.inline = true;
        } else if self.has(Feature::Attribute) && self.choices.chance(APART) {
            let name = self.choices.pick(&ATTRIBUTES);
            let attribute = self.attribute(name);
            self.program[function].attributes = [attribute].into();
        }
        let helper = NestHelper { function, parameter, cost };
        self.stock.nest_helpers.push(helper);
        Some(helper)
    }

    fn helper_operators(&self) -> Vec<BinaryOp> {
        let mut ops = vec![BinaryOp::Add, BinaryOp::Sub];
        if self.has(Feature::Multiplication) {
            ops.push(BinaryOp::Mul);
        }
        if self.has(Feature::Bitwise) {
            ops.extend([BinaryOp::BitXor, BinaryOp::BitAnd]);
        }
        ops
    }
}
