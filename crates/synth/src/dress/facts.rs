//! What dresses ask of a program.

use farrier_lang::print::passed_over;
use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, Id, Item, ObjectId, Program, Stmt, StmtId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A direct call of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallSite {
    /// The call.
    pub(super) call: ExprId,
    /// The function that it is in; `None` in an initialiser at file scope.
    pub(super) caller: Option<FunctionId>,
}

/// Where things are and how they are used.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The functions that are defined, with the place of their definition among the items.
    pub(super) defined: Vec<(FunctionId, usize)>,
    /// The objects that are defined at file scope, with their place among the items.
    pub(super) globals: Vec<(ObjectId, usize)>,
    /// The functions that are declared before they are defined.
    pub(super) forward: FxHashSet<FunctionId>,
    /// Every expression that can be reached, with its function, in the order of the text.
    pub(super) exprs: Vec<(ExprId, Option<FunctionId>)>,
    /// Every statement, with its function, in the order of the text.
    pub(super) stmts: Vec<(StmtId, FunctionId)>,
    /// Whether an expression must stay as it is, by id: an operand of a builtin or `sizeof`, or a
    /// part of a constant.
    frozen: Vec<bool>,
    /// The expression around an expression, by id.
    parents: Vec<Option<ExprId>>,
    /// The statement around an expression, by id.
    owners: Vec<Option<StmtId>>,
    /// The statement around a statement.
    pub(super) around: FxHashMap<StmtId, StmtId>,
    /// Direct calls of each function.
    pub(super) calls: FxHashMap<FunctionId, Vec<CallSite>>,
    /// Functions that are used in another way than being called.
    pub(super) addressed: FxHashSet<FunctionId>,
    /// The expressions that name an object.
    pub(super) mentions: FxHashMap<ObjectId, Vec<ExprId>>,
    /// The function of a local object.
    pub(super) homes: FxHashMap<ObjectId, FunctionId>,
    /// Functions with labels.
    pub(super) labelled: FxHashSet<FunctionId>,
    /// Blocks that are the operand of an expression: their last statement is its value.
    pub(super) values: FxHashSet<StmtId>,
    /// Objects whose initialiser a jump passes over.
    pub(super) bypassed: FxHashSet<ObjectId>,
}

impl Facts {
    /// The facts of a program.
    pub(super) fn of(program: &Program) -> Self {
        let mut facts = Self {
            parents: vec![None; program.exprs.len()],
            owners: vec![None; program.exprs.len()],
            frozen: vec![false; program.exprs.len()],
            bypassed: passed_over(program),
            ..Self::default()
        };
        for (at, item) in program.items.iter().enumerate() {
            match *item {
                Item::Define(Entity::Function(id)) => {
                    facts.defined.push((id, at));
                    if let Some(body) = program[id].body {
                        facts.stmt(program, body, id);
                    }
                }
                Item::Declare(Entity::Function(id)) | Item::DeclareAs(Entity::Function(id), _) => {
                    facts.forward.insert(id);
                }
                Item::Define(Entity::Object(id)) => {
                    facts.globals.push((id, at));
                    if let Some(init) = program[id].init {
                        facts.expr(program, init, None, None, None);
                    }
                }
                _ => {}
            }
        }
        facts
    }

    fn stmt(&mut self, program: &Program, id: StmtId, function: FunctionId) {
        self.stmts.push((id, function));
        let stmt = &program[id];
        match stmt {
            Stmt::Declare(object) => {
                self.homes.insert(*object, function);
                if let Some(init) = program[*object].init {
                    self.expr(program, init, None, Some(id), Some(function));
                }
            }
            Stmt::Label(..) => {
                self.labelled.insert(function);
            }
            Stmt::Asm(asm) => {
                let asm = &program[*asm];
                for operand in asm.outputs.iter().chain(&asm.inputs) {
                    self.expr(program, operand.value, None, Some(id), Some(function));
                }
            }
            _ => {}
        }
        stmt.for_each_expr(|expr| self.expr(program, expr, None, Some(id), Some(function)));
        stmt.for_each_child(|child| {
            self.around.insert(child, id);
            self.stmt(program, child, function);
        });
    }

    fn expr(
        &mut self,
        program: &Program,
        id: ExprId,
        parent: Option<ExprId>,
        owner: Option<StmtId>,
        function: Option<FunctionId>,
    ) {
        self.parents[id.index()] = parent;
        self.owners[id.index()] = owner;
        let around = parent.map(|parent| &program[parent].kind);
        self.frozen[id.index()] = match around {
            Some(ExprKind::Builtin(..) | ExprKind::SizeofExpr(_) | ExprKind::AlignofExpr(..)) => {
                true
            }
            Some(_) => parent.is_some_and(|parent| self.frozen[parent.index()]),
            None => {
                function.is_none()
                    || owner.is_none_or(|owner| {
                        is_fixed(&program[owner]) || self.is_hinted_head(program, owner)
                    })
            }
        };
        self.exprs.push((id, function));
        let kind = &program[id].kind;
        match kind {
            ExprKind::Object(object) => self.mentions.entry(*object).or_default().push(id),
            ExprKind::Function(callee) => {
                let around = parent.and_then(|decay| self.parent(decay));
                match around.map(|call| (call, &program[call].kind)) {
                    Some((call, ExprKind::Call(called, _))) if Some(*called) == parent => {
                        let site = CallSite { call, caller: function };
                        self.calls.entry(*callee).or_default().push(site);
                    }
                    _ => {
                        self.addressed.insert(*callee);
                    }
                }
            }
            ExprKind::StatementExpr(block) => {
                self.values.insert(*block);
                if let Some(function) = function {
                    self.stmt(program, *block, function);
                }
            }
            _ => {}
        }
        kind.for_each_operand(|operand| self.expr(program, operand, Some(id), owner, function));
    }

    /// Whether a statement is a loop with hints, or in the first clause of one: some hints are for
    /// loops of one form only.
    pub(super) fn is_hinted_head(&self, program: &Program, stmt: StmtId) -> bool {
        let around = |stmt: StmtId| self.around.get(&stmt).copied();
        let is_hinted = |stmt: StmtId| {
            around(stmt).is_some_and(|outer| matches!(program[outer], Stmt::Hinted { .. }))
        };
        match program[stmt] {
            Stmt::Declare(_) => around(stmt).is_some_and(is_hinted),
            Stmt::For { .. } => is_hinted(stmt),
            _ => false,
        }
    }

    /// The expression around an expression.
    pub(super) fn parent(&self, expr: ExprId) -> Option<ExprId> {
        self.parents.get(expr.index()).copied().flatten()
    }

    /// Whether an expression must stay as it is.
    pub(super) fn is_frozen(&self, expr: ExprId) -> bool {
        self.frozen.get(expr.index()).copied().unwrap_or(true)
    }

    /// The statement that an expression is a part of.
    pub(super) fn owner(&self, expr: ExprId) -> Option<StmtId> {
        self.owners.get(expr.index()).copied().flatten()
    }

    /// The direct calls of a function.
    pub(super) fn calls_of(&self, function: FunctionId) -> &[CallSite] {
        self.calls.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The expressions that name an object.
    pub(super) fn mentions_of(&self, object: ObjectId) -> &[ExprId] {
        self.mentions.get(&object).map_or(&[], Vec::as_slice)
    }

    /// The place of a definition among the items.
    pub(super) fn place_of(&self, function: FunctionId) -> Option<usize> {
        self.defined.iter().find(|(id, _)| *id == function).map(|(_, at)| *at)
    }
}

/// Whether the expressions of a statement are constants or places of another language.
fn is_fixed(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Case { .. } | Stmt::Asm(_) | Stmt::Hinted { .. })
}
