//! Statements and the declarations inside them.

use std::collections::BTreeMap;

use super::Printer;
use super::spellings::Spelled;
use crate::arena::{AsmId, ExprId, LabelId, ObjectId, StmtId};
use crate::expr::ExprKind;
use crate::hint::{Hint, HintArgument, HintForm};
use crate::program::{AsmOperand, Entity, Item};
use crate::stmt::Stmt;

impl Printer<'_> {
    /// A statement on lines of its own.
    pub(super) fn stmt(&mut self, id: StmtId) {
        let program = self.program;
        match &program[id] {
            Stmt::Case { first, last, body } => {
                self.margin(1);
                self.text("case ");
                self.case_value(*first);
                if let Some(last) = last {
                    self.text(" ... ");
                    self.case_value(*last);
                }
                self.text(":\n");
                self.stmt(*body);
            }
            Stmt::Default(body) => {
                self.margin(1);
                self.text("default:\n");
                self.stmt(*body);
            }
            Stmt::Label(label, body) => {
                self.margin(1);
                self.symbol(program[*label].name);
                self.text(":\n");
                self.stmt(*body);
            }
            stmt => {
                self.margin(0);
                self.unlabelled(id, stmt);
            }
        }
    }

    /// A statement after its margin, to the end of its last line.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of statement")]
    pub(super) fn unlabelled(&mut self, id: StmtId, stmt: &Stmt) {
        let program = self.program;
        if self.spelled(Spelled::Stmt(id)) {
            return;
        }
        match stmt {
            Stmt::Empty => self.text(";\n"),
            Stmt::Expr(value) => {
                self.expr(*value, 0);
                self.text(";\n");
            }
            Stmt::Block(_) => {
                self.block(id);
                self.byte(b'\n');
            }
            Stmt::Declare(object) => {
                self.local_object(*object);
                self.text(";\n");
            }
            Stmt::DefineRecord(record) => self.record_definition(*record),
            Stmt::DefineFunction(function) => self.function_definition(*function),
            Stmt::If { condition, then, otherwise } => {
                self.text("if (");
                self.expr(*condition, 0);
                self.byte(b')');
                let Some(otherwise) = *otherwise else { return self.body(*then) };
                if self.ends_in_open_if(*then) {
                    self.text(" {\n");
                    self.indent += 1;
                    self.stmt(*then);
                    self.indent -= 1;
                    self.margin(0);
                    self.text("} else");
                } else {
                    let open = self.nested(*then);
                    self.keyword(open, "else");
                }
                match &program[otherwise] {
                    chained @ Stmt::If { .. } => {
                        self.byte(b' ');
                        self.unlabelled(otherwise, chained);
                    }
                    _ => self.body(otherwise),
                }
            }
            Stmt::While { condition, body } => {
                self.text("while (");
                self.expr(*condition, 0);
                self.byte(b')');
                self.body(*body);
            }
            Stmt::DoWhile { body, condition } => {
                self.text("do");
                let open = self.nested(*body);
                self.keyword(open, "while (");
                self.expr(*condition, 0);
                self.text(");\n");
            }
            Stmt::For { init, condition, step, body } => {
                let apart = self.declare_apart(init);
                self.text("for (");
                self.for_init(init);
                self.byte(b';');
                if let Some(condition) = condition {
                    self.byte(b' ');
                    self.expr(*condition, 0);
                }
                self.byte(b';');
                if let Some(step) = step {
                    self.byte(b' ');
                    self.expr(*step, 0);
                }
                self.byte(b')');
                self.body(*body);
                if apart {
                    self.margin(0);
                    self.text("}\n");
                }
            }
            Stmt::Switch { value, body } => {
                self.text("switch (");
                self.expr(*value, 0);
                self.byte(b')');
                self.body(*body);
            }
            Stmt::Goto(label) => {
                self.text("goto ");
                self.symbol(program[*label].name);
                self.text(";\n");
            }
            Stmt::GotoComputed(target) => {
                self.text("goto *");
                self.expr(*target, 0);
                self.text(";\n");
            }
            Stmt::Break => self.text("break;\n"),
            Stmt::Continue => self.text("continue;\n"),
            Stmt::Return(None) => self.text("return;\n"),
            Stmt::Return(Some(value)) => {
                self.text("return ");
                self.expr(*value, 0);
                self.text(";\n");
            }
            Stmt::Asm(asm) => {
                self.asm(*asm);
                self.text(";\n");
            }
            Stmt::Fallthrough => self.text("__attribute__((fallthrough));\n"),
            Stmt::Hinted { hints, body } => {
                if !self.is_declared_apart(*body) {
                    self.hints(hints);
                }
                self.unlabelled(*body, &program[*body]);
            }
            Stmt::Case { .. } | Stmt::Default(_) | Stmt::Label(..) => {
                unreachable!("labelled statements are printed by `stmt`")
            }
        }
    }

    /// Lines of hints, after the margin of the first, with that of the loop after them.
    fn hints(&mut self, hints: &[Hint]) {
        for (at, hint) in hints.iter().enumerate() {
            let row = hint.kind.row();
            self.text(match row.form {
                HintForm::Gcc => "#pragma GCC ",
                HintForm::Clang => "#pragma clang loop ",
                HintForm::Omp => "#pragma omp ",
                HintForm::Clause => " ",
            });
            self.text(row.words.0);
            match (row.argument, hint.object) {
                (HintArgument::Number, _) => self.text(&hint.number.to_string()),
                (argument, Some(object)) => {
                    self.expr(object, 0);
                    if argument == HintArgument::ObjectAndNumber {
                        self.byte(b':');
                        self.text(&hint.number.to_string());
                    }
                }
                _ => {}
            }
            self.text(row.words.1);
            let ends = |next: &Hint| next.kind.row().form != HintForm::Clause;
            if hints.get(at + 1).is_none_or(ends) {
                self.byte(b'\n');
                self.margin(0);
            }
        }
    }

    /// `{ ... }`, without a line end after it.
    pub(super) fn block(&mut self, id: StmtId) {
        let program = self.program;
        let Stmt::Block(statements) = &program[id] else {
            // Every user of this function has a block by the rules of the model.
            self.text("{\n");
            self.indent += 1;
            self.stmt(id);
            self.indent -= 1;
            self.margin(0);
            return self.byte(b'}');
        };
        let labels = self.local_labels.remove(&id);
        if statements.is_empty() && labels.is_none() {
            return self.text("{}");
        }
        self.text("{\n");
        self.indent += 1;
        if let Some(labels) = labels {
            self.margin(0);
            self.text("__label__ ");
            self.separated(labels, |printer, label| printer.symbol(program[label].name));
            self.text(";\n");
        }
        for &stmt in statements {
            self.stmt(stmt);
        }
        self.indent -= 1;
        self.margin(0);
        self.byte(b'}');
    }

    /// A statement under a header, to the end of its last line.
    fn body(&mut self, id: StmtId) {
        if self.nested(id) {
            self.byte(b'\n');
        }
    }

    /// A keyword after a nested statement, whose last line may be open.
    fn keyword(&mut self, open: bool, keyword: &str) {
        if open {
            self.byte(b' ');
        } else {
            self.margin(0);
        }
        self.text(keyword);
    }

    /// A statement under a header. Returns true if its last line is open: a block
    /// whose closing brace a keyword may follow.
    fn nested(&mut self, id: StmtId) -> bool {
        let program = self.program;
        if matches!(program[id], Stmt::Block(_)) && !self.is_spelled(Spelled::Stmt(id)) {
            self.byte(b' ');
            self.block(id);
            true
        } else {
            self.byte(b'\n');
            self.indent += 1;
            self.stmt(id);
            self.indent -= 1;
            false
        }
    }

    /// Whether an `else` after this statement would belong to an `if` inside it.
    fn ends_in_open_if(&self, mut id: StmtId) -> bool {
        loop {
            id = match &self.program[id] {
                Stmt::If { otherwise: None, .. } => return true,
                Stmt::If { otherwise: Some(last), .. }
                | Stmt::While { body: last, .. }
                | Stmt::For { body: last, .. }
                | Stmt::Switch { body: last, .. }
                | Stmt::Hinted { body: last, .. }
                | Stmt::Case { body: last, .. }
                | Stmt::Default(last)
                | Stmt::Label(_, last) => *last,
                _ => return false,
            };
        }
    }

    fn for_init(&mut self, init: &[StmtId]) {
        let program = self.program;
        let mut declared = false;
        self.separated(init, |printer, &id| match &program[id] {
            Stmt::Declare(object) if printer.bypassed.contains(object) => {
                printer.assign_first(*object);
            }
            Stmt::Declare(object) if declared => printer.object_declarator(*object, true),
            Stmt::Declare(object) => {
                declared = true;
                printer.local_object(*object);
            }
            Stmt::Expr(value) => printer.assignment_or_only(*value, init.len()),
            _ => {}
        });
    }

    fn assignment_or_only(&mut self, value: ExprId, clauses: usize) {
        if clauses == 1 {
            self.expr(value, 0);
        } else {
            self.assignment_expr(value);
        }
    }

    /// `asm (...)`, as a statement or at file scope.
    pub(super) fn asm(&mut self, id: AsmId) {
        let program = self.program;
        let asm = &program[id];
        self.text("__asm__");
        if asm.volatile {
            self.text(" volatile");
        }
        if asm.inline {
            self.text(" inline");
        }
        if !asm.labels.is_empty() {
            self.text(" goto");
        }
        self.text(" (");
        self.string_literal(asm.template);
        if asm.extended {
            // Empty sections at the end are left out, but the first colon stays.
            let sections = if !asm.labels.is_empty() {
                4
            } else if !asm.clobbers.is_empty() {
                3
            } else if !asm.inputs.is_empty() {
                2
            } else {
                1
            };
            self.asm_section(&asm.outputs, Self::asm_operand);
            if sections > 1 {
                self.asm_section(&asm.inputs, Self::asm_operand);
            }
            if sections > 2 {
                self.asm_section(&asm.clobbers, |printer, &clobber| {
                    printer.string_literal(clobber)
                });
            }
            if sections > 3 {
                self.asm_section(&asm.labels, |printer, &label| {
                    printer.symbol(program[label].name);
                });
            }
        }
        self.byte(b')');
    }

    fn asm_section<T>(&mut self, entries: &[T], write: impl FnMut(&mut Self, &T)) {
        self.text(if entries.is_empty() { " :" } else { " : " });
        self.separated(entries, write);
    }

    fn asm_operand(&mut self, operand: &AsmOperand) {
        if let Some(name) = operand.name {
            self.byte(b'[');
            self.symbol(name);
            self.text("] ");
        }
        self.string_literal(operand.constraint);
        self.text(" (");
        self.expr(operand.value, 0);
        self.byte(b')');
    }

    /// Finds for every local label the innermost block around all that mentions it.
    pub(super) fn place_local_labels(&mut self, items: &[Item]) {
        let program = self.program;
        if !program.labels.iter().any(|(_, label)| label.local) {
            return;
        }
        let mut mentions = Mentions { printer: self, path: Vec::new(), found: BTreeMap::new() };
        for item in items {
            if let Item::Define(Entity::Function(function)) = item
                && let Some(body) = program[*function].body
            {
                mentions.stmt(body);
            }
        }
        for (label, path) in mentions.found {
            if let Some(&block) = path.last() {
                self.local_labels.entry(block).or_default().push(label);
            }
        }
    }
}

/// Where local labels are mentioned.
struct Mentions<'p, 'a> {
    printer: &'p Printer<'a>,
    /// The blocks around the current node, outermost first.
    path: Vec<StmtId>,
    /// The blocks that are around all mentions of a label so far.
    found: BTreeMap<LabelId, Vec<StmtId>>,
}

impl Mentions<'_, '_> {
    fn label(&mut self, label: LabelId) {
        if !self.printer.program[label].local {
            return;
        }
        let path = &self.path;
        self.found
            .entry(label)
            .and_modify(|common| {
                let shared = common.iter().zip(path).take_while(|(a, b)| a == b).count();
                common.truncate(shared);
            })
            .or_insert_with(|| path.clone());
    }

    fn stmt(&mut self, id: StmtId) {
        let program = self.printer.program;
        let stmt = &program[id];
        let is_block = matches!(stmt, Stmt::Block(_));
        if is_block {
            self.path.push(id);
        }
        match stmt {
            Stmt::Label(label, _) | Stmt::Goto(label) => self.label(*label),
            Stmt::Declare(object) => self.object(*object),
            Stmt::DefineFunction(function) => {
                program[*function].body.iter().for_each(|body| self.stmt(*body));
            }
            Stmt::Asm(asm) => {
                let asm = &program[*asm];
                for operand in asm.outputs.iter().chain(&asm.inputs) {
                    self.expr(operand.value);
                }
                for &label in &asm.labels {
                    self.label(label);
                }
            }
            _ => {}
        }
        stmt.for_each_expr(|expr| self.expr(expr));
        stmt.for_each_child(|child| self.stmt(child));
        if is_block {
            self.path.pop();
        }
    }

    fn object(&mut self, object: ObjectId) {
        if let Some(init) = self.printer.program[object].init {
            self.expr(init);
        }
    }

    fn expr(&mut self, id: ExprId) {
        let program = self.printer.program;
        let kind = &program.exprs[id].kind;
        match kind {
            ExprKind::LabelAddress(label) => self.label(*label),
            ExprKind::StatementExpr(block) => self.stmt(*block),
            _ => {}
        }
        kind.for_each_operand(|operand| self.expr(operand));
    }
}
