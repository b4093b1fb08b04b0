//! The points of a program where a value can be checked, and the program with the checks in.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use farrier_lang::build::Builder;
use farrier_lang::float::FloatValue;
use farrier_lang::layout::Layouts;
use farrier_lang::print::{PrintOptions, print, print_expr, print_stmt};
use farrier_lang::target::FloatFormat;
use farrier_lang::{
    Entity, Expr, ExprId, ExprKind, Function, FunctionId, FunctionType, IntKind, Item, ObjectId,
    Program, Qualifiers, Stmt, StmtId, Type, TypeId, Types, integer_type,
};
use farrier_machine::Tier;

use super::{Number, Point};
use crate::scene::is_library;

/// What the name of the check begins with.
pub(super) const CHECK: &str = "farrier_check";

/// What a failed check writes before its numbers, on a line of its own.
pub(super) const MARK: &str = "@farrier";

/// More points than this are not looked at: their numbers are an `int` of 16 bits somewhere.
const MOST_POINTS: usize = 30_000;

/// How long a statement is shown, in bytes.
const MOST_TEXT: usize = 160;

/// Where a value can be checked, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Watchpoint {
    pub(super) function: FunctionId,
    pub(super) stmt: StmtId,
    access: Access,
    class: Class,
}

/// How a value goes through a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// As a `long long`.
    Integer { signed: bool },
    /// As the bits of a `double`.
    Floating(FloatFormat),
    /// Without its fraction, as a `long long`: whoever looks at the bits of a floating value sees
    /// what tier *free* leaves open.
    Truncated,
}

/// How the value is got hold of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    /// A parameter, when the function begins.
    Parameter(ObjectId),
    /// An object, after its declaration.
    Declared(ObjectId),
    /// An lvalue, read again after the statement that wrote it.
    Assigned(ExprId),
    /// An argument without side effects, computed once more before the statement.
    Argument(ExprId),
    /// A value that goes through the check on its way.
    Passing(ExprId, Role),
}

/// What a value that goes through the check is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Condition,
    Result,
    Argument,
}

/// All watchpoints of a program, in the order of its text.
pub(super) fn watchpoints(program: &Program, tier: Tier) -> Vec<Watchpoint> {
    let mut collector = Collector { program, tier, points: Vec::new() };
    for item in &program.items {
        let Item::Define(Entity::Function(function)) = *item else { continue };
        let Some(body) = program[function].body else { continue };
        for parameter in &program[function].parameters {
            if program[*parameter].name.is_some() {
                collector.add(function, body, Access::Parameter(*parameter));
            }
        }
        collector.stmt(function, body);
    }
    collector.points.truncate(MOST_POINTS);
    collector.points
}

struct Collector<'a> {
    program: &'a Program,
    tier: Tier,
    points: Vec<Watchpoint>,
}

impl Collector<'_> {
    fn add(&mut self, function: FunctionId, stmt: StmtId, access: Access) {
        let ty = match access {
            Access::Parameter(object) | Access::Declared(object) => self.program[object].ty,
            Access::Assigned(expr) | Access::Argument(expr) | Access::Passing(expr, _) => {
                self.program.type_of(expr)
            }
        };
        let qualifiers = ty.qualifiers();
        let plain =
            !qualifiers.contains(Qualifiers::VOLATILE) && !qualifiers.contains(Qualifiers::ATOMIC);
        if let Some(class) = self.class(ty, access)
            && plain
        {
            self.points.push(Watchpoint { function, stmt, access, class });
        }
    }

    /// How a value of a type goes through a check, if it can.
    fn class(&self, ty: TypeId, access: Access) -> Option<Class> {
        let program = self.program;
        let Type::Float(kind) = *program.resolve(ty) else {
            return integer(program, ty).map(|signed| Class::Integer { signed });
        };
        let (_, format) = program.target.float_scalar(kind)?;
        // What comes back from the check must be what went in.
        let passes = matches!(access, Access::Passing(..));
        match self.tier {
            Tier::Free => (!passes).then_some(Class::Truncated),
            _ if program.target.double.1 != FloatFormat::Double => None,
            _ if format <= FloatFormat::Double => Some(Class::Floating(format)),
            _ => (!passes).then_some(Class::Floating(FloatFormat::Double)),
        }
    }

    fn stmt(&mut self, function: FunctionId, stmt: StmtId) {
        let program = self.program;
        match &program[stmt] {
            Stmt::Declare(object) if program[*object].init.is_some() => {
                self.add(function, stmt, Access::Declared(*object));
            }
            Stmt::Expr(expr) => self.expression(function, stmt, *expr),
            Stmt::If { condition, .. }
            | Stmt::While { condition, .. }
            | Stmt::DoWhile { condition, .. }
            | Stmt::Switch { value: condition, .. }
            | Stmt::For { condition: Some(condition), .. } => {
                self.passing(function, stmt, *condition, Role::Condition);
            }
            Stmt::Return(Some(value)) => self.passing(function, stmt, *value, Role::Result),
            _ => {}
        }
        match &program[stmt] {
            // What stands before the condition is no statement of a block.
            Stmt::For { body, .. } => self.stmt(function, *body),
            // Nothing can stand between a pragma and its loop.
            Stmt::Hinted { body: at, .. } => match program[*at] {
                Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::DoWhile { body, .. } => {
                    self.stmt(function, body);
                }
                _ => {}
            },
            other => other.for_each_child(|child| self.stmt(function, child)),
        }
    }

    fn passing(&mut self, function: FunctionId, stmt: StmtId, value: ExprId, role: Role) {
        // A compiler that adds constants may do it wrongly, but not one that reads them.
        if !self.program.is_literal(value) {
            self.add(function, stmt, Access::Passing(value, role));
        }
    }

    fn expression(&mut self, function: FunctionId, stmt: StmtId, expr: ExprId) {
        match &self.program[expr].kind {
            ExprKind::Assign(target, value) => {
                self.expression(function, stmt, *value);
                self.assigned(function, stmt, *target);
            }
            ExprKind::CompoundAssign { target, .. } | ExprKind::Step(_, target) => {
                self.assigned(function, stmt, *target);
            }
            ExprKind::Comma(left, right) => {
                self.expression(function, stmt, *left);
                self.expression(function, stmt, *right);
            }
            ExprKind::Convert(inner) | ExprKind::Cast(inner) => {
                self.expression(function, stmt, *inner);
            }
            ExprKind::Call(callee, arguments)
                if self.program[stmt] == Stmt::Expr(expr) && is_library(self.program, *callee) =>
            {
                // The parameters of the other functions are checked where they arrive.
                // Two checks that are called in no certain order would not be defined.
                let with_effect: Vec<ExprId> = arguments
                    .iter()
                    .copied()
                    .filter(|argument| !is_repeatable(self.program, *argument))
                    .collect();
                for argument in arguments {
                    if self.program.is_literal(*argument) {
                        continue;
                    }
                    if is_repeatable(self.program, *argument) {
                        self.add(function, stmt, Access::Argument(*argument));
                    } else if with_effect.len() == 1 {
                        self.add(function, stmt, Access::Passing(*argument, Role::Argument));
                    }
                }
            }
            _ => {}
        }
    }

    fn assigned(&mut self, function: FunctionId, stmt: StmtId, target: ExprId) {
        if is_repeatable(self.program, target) {
            self.add(function, stmt, Access::Assigned(target));
        }
    }
}

/// Whether a type is an integer that goes through a `long long`, and whether it is signed.
fn integer(program: &Program, ty: TypeId) -> Option<bool> {
    integer_type(program, ty).filter(|ty| ty.bits <= 64).map(|ty| ty.signed)
}

/// Whether an expression can be evaluated once more without changing anything: no side
/// effects, nothing volatile.
fn is_repeatable(program: &Program, expr: ExprId) -> bool {
    let node = &program[expr];
    let mut fine = !node.ty.qualifiers().contains(Qualifiers::VOLATILE)
        && !node.ty.qualifiers().contains(Qualifiers::ATOMIC)
        && !node.kind.acts()
        && !matches!(node.kind, ExprKind::CompoundLiteral(_));
    node.kind.for_each_operand(|operand| fine = fine && is_repeatable(program, operand));
    fine
}

impl Watchpoint {
    /// The point in words.
    pub(super) fn point(&self, program: &Program) -> Point {
        let name = |object: ObjectId| {
            let name = program[object].name;
            name.map_or_else(String::new, |name| program.text(name).to_owned())
        };
        let (what, variable) = match self.access {
            Access::Parameter(object) => ("the parameter", name(object)),
            Access::Declared(object) => ("the variable", name(object)),
            Access::Assigned(expr) => ("the variable", print_expr(program, expr)),
            Access::Argument(expr) | Access::Passing(expr, Role::Argument) => {
                ("the argument", print_expr(program, expr))
            }
            Access::Passing(expr, Role::Condition) => ("the condition", print_expr(program, expr)),
            Access::Passing(expr, Role::Result) => {
                ("the returned value", print_expr(program, expr))
            }
        };
        let statement = match self.access {
            Access::Parameter(_) => String::new(),
            _ => {
                let text = print_stmt(program, self.stmt);
                let line = text.trim().lines().next().unwrap_or_default().trim_end();
                let end = line.floor_char_boundary(MOST_TEXT);
                format!("{}{}", &line[..end], if end < line.len() { "..." } else { "" })
            }
        };
        let line = program
            .stmt_span(self.stmt)
            .and_then(|span| program.sources.place(span))
            .map(|place| place.line);
        Point {
            function: program.text(program[self.function].name).to_owned(),
            statement,
            line,
            what: what.to_owned(),
            variable,
        }
    }

    /// The value that a `long long` stands for.
    pub(super) fn value(&self, value: i64) -> Number {
        let bits = u128::from(value as u64);
        match self.class {
            Class::Integer { signed: false } => Number::Integer(i128::from(value as u64)),
            Class::Integer { signed: true } | Class::Truncated => Number::Integer(value.into()),
            Class::Floating(format) => {
                let double = FloatValue { format: FloatFormat::Double, bits };
                Number::Floating(double.convert(format).0)
            }
        }
    }
}

/// The text of a program with calls of a check at the points, by number, and the name of
/// the check. Its definition is yet to be added; that of floating values is there.
///
/// The copy is changed in place rather than by edits: these changes are never taken back or
/// merges them, and only the text is used.
pub(super) fn with_calls(
    program: &Program,
    chosen: impl Iterator<Item = (usize, Watchpoint)>,
) -> (String, String) {
    let chosen: Vec<(usize, Watchpoint)> = chosen.collect();
    let floats = chosen.iter().any(|(_, point)| matches!(point.class, Class::Floating(_)));
    let mut copy = program.clone();
    let mut name = CHECK.to_owned();
    while program.names.find(&name).is_some() {
        name.push('_');
    }
    let integers = declared(&mut copy, &name, Types::int(IntKind::LongLong));
    let doubles = floats.then(|| declared(&mut copy, &format!("{name}_double"), Types::DOUBLE));
    let mut writer = Writer { program: &mut copy, integers, doubles };
    let mut around: BTreeMap<StmtId, Around> = BTreeMap::new();
    for (number, point) in chosen {
        let around = around.entry(point.stmt);
        match point.access {
            Access::Parameter(object) => {
                let check = writer.check_object(number, &point, object);
                around.or_default().start.push(check);
            }
            Access::Declared(object) => {
                let check = writer.check_object(number, &point, object);
                around.or_default().after.push(check);
            }
            Access::Assigned(target) => {
                let value = writer.copy_expr(target);
                let check = writer.check_stmt(number, &point, value);
                around.or_default().after.push(check);
            }
            Access::Argument(argument) => {
                let value = writer.copy_expr(argument);
                let check = writer.check_stmt(number, &point, value);
                around.or_default().before.push(check);
            }
            Access::Passing(value, _) => writer.pass(number, &point, value),
        }
    }
    writer.insert(around);
    let mut text = print(&copy, &PrintOptions::default());
    if floats {
        text.push_str(&double_check(&name));
    }
    (text, name)
}

/// Declares `ty name(int, ty);` before everything else.
fn declared(program: &mut Program, name: &str, ty: TypeId) -> (FunctionId, TypeId) {
    let ty = program.types.function(FunctionType {
        result: ty,
        parameters: [Types::INT, ty].into(),
        variadic: false,
        prototyped: true,
    });
    let symbol = program.names.intern(name);
    let function = program.functions.push(Function::declared(symbol, ty));
    program.items.insert(0, Item::Declare(Entity::Function(function)));
    (function, ty)
}

/// The checks around a statement.
#[derive(Default)]
struct Around {
    before: Vec<StmtId>,
    after: Vec<StmtId>,
    /// At the start of the block that it is.
    start: Vec<StmtId>,
}

struct Writer<'a> {
    program: &'a mut Program,
    /// The check of integers and its type.
    integers: (FunctionId, TypeId),
    /// The check of floating values, if there are any.
    doubles: Option<(FunctionId, TypeId)>,
}

impl Writer<'_> {
    fn call(&mut self, number: usize, point: &Watchpoint, value: ExprId) -> ExprId {
        let (function, ty) = match point.class {
            Class::Floating(_) => self.doubles.expect("there is one if there are such points"),
            Class::Integer { .. } | Class::Truncated => self.integers,
        };
        let mut layouts = Layouts::default();
        let mut build = Builder { program: self.program, layouts: &mut layouts, permissive: false };
        let callee = build.node(ExprKind::Function(function), ty);
        let number = build.int(IntKind::Int, number as u64);
        build.call(callee, vec![number, value]).expect("an arithmetic value becomes another")
    }

    fn check_stmt(&mut self, number: usize, point: &Watchpoint, value: ExprId) -> StmtId {
        let call = self.call(number, point, value);
        self.program.stmts.push(Stmt::Expr(call))
    }

    fn check_object(&mut self, number: usize, point: &Watchpoint, object: ObjectId) -> StmtId {
        let ty = self.program[object].ty;
        let value = self.program.exprs.push(Expr { kind: ExprKind::Object(object), ty });
        self.check_stmt(number, point, value)
    }

    /// A tree of its own for an expression that stands in two places from now on. Only
    /// expressions that are repeatable get here, so no statement is in them.
    fn copy_expr(&mut self, expr: ExprId) -> ExprId {
        // The printer only reads, so that one tree with two parents is as good as two.
        let node = self.program[expr].clone();
        self.program.exprs.push(node)
    }

    /// Puts a check around a value.
    fn pass(&mut self, number: usize, point: &Watchpoint, value: ExprId) {
        let ty = self.program.type_of(value);
        let inner = self.copy_expr(value);
        let call = self.call(number, point, inner);
        self.program[value] = Expr { kind: ExprKind::Cast(call), ty };
    }

    fn insert(&mut self, mut around: BTreeMap<StmtId, Around>) {
        let blocks: Vec<StmtId> = self
            .program
            .stmts
            .ids()
            .filter(|stmt| matches!(self.program[*stmt], Stmt::Block(_)))
            .collect();
        for block in blocks {
            let Stmt::Block(old) = self.program[block].clone() else { continue };
            let mut new = around.get_mut(&block).map(|it| std::mem::take(&mut it.start));
            let new = new.get_or_insert_default();
            for stmt in old {
                let Around { before, after, .. } = match around.get_mut(&stmt) {
                    Some(found) => Around {
                        before: std::mem::take(&mut found.before),
                        after: std::mem::take(&mut found.after),
                        start: Vec::new(),
                    },
                    None => Around::default(),
                };
                new.extend(before);
                new.push(stmt);
                new.extend(after);
            }
            self.program[block] = Stmt::Block(std::mem::take(new).into());
        }
        // What is left stands alone, such as the branch of an `if`.
        for (stmt, Around { mut before, after, .. }) in around {
            if before.is_empty() && after.is_empty() {
                continue;
            }
            let kind = self.program[stmt].clone();
            let inner = self.program.stmts.push(kind);
            before.push(inner);
            before.extend(after);
            self.program[stmt] = Stmt::Block(before.into());
        }
    }
}

/// A definition of the check that lets everything pass. It counts, and could print and exit, as
/// the strict one does: in two operands that may be evaluated in either order, checks have no
/// order either, and the machine says so.
pub(super) fn permissive_check(program: &Program, name: &str) -> String {
    format!(
        "{}static unsigned long {name}_count;\nlong long {name}(int point, long long value)\n{{\n\
         \x20   if (point == -1) {{\n        printf(\"%lu\", {name}_count);\n        exit(0);\n    }}\n\
         \x20   {name}_count++;\n    return value;\n}}\n",
        library(program)
    )
}

/// Declarations of what a check calls, unless the program has them.
fn library(program: &Program) -> String {
    let mut text = String::new();
    for (function, declaration) in
        [("printf", "int printf(const char *, ...);\n"), ("exit", "void exit(int);\n")]
    {
        let known = program.items.iter().any(|item| match item.entity() {
            Some(Entity::Function(id)) => program.text(program[id].name) == function,
            _ => false,
        });
        if !known {
            text.push_str(declaration);
        }
    }
    text
}

/// A definition of the check that knows which values come, and ends the program at the first
/// that differs; with `stop`, at the latest after all of them.
///
/// It compares with nothing but `==` and `!=`, has no loop and no arithmetic but one
/// increment, so that what is wrong with the compiler is hardly wrong here.
pub(super) fn strict_check(
    program: &Program,
    name: &str,
    events: &[(usize, i64)],
    stop: bool,
) -> String {
    let mut text = library(program);
    // An array cannot be empty.
    let _ = writeln!(text, "static const int {name}_points[] = {{");
    for (point, _) in events.iter().chain(&[(0, 0)]) {
        let _ = writeln!(text, "    {point},");
    }
    let _ = writeln!(text, "}};\nstatic const unsigned long long {name}_values[] = {{");
    for (_, value) in events.iter().chain(&[(0, 0)]) {
        let _ = writeln!(text, "    {:#x}ULL,", *value as u64);
    }
    let count = events.len();
    let at_end = if stop {
        format!("        printf(\"\\n{MARK} end\\n\");\n        exit(0);\n")
    } else {
        "        return value;\n".to_owned()
    };
    let _ = writeln!(
        text,
        "}};\nstatic unsigned long {name}_count;\n\
         __attribute__((noinline)) long long {name}(int point, long long value)\n{{\n\
         \x20   if ({name}_count == {count}) {{\n{at_end}    }}\n\
         \x20   if (point != {name}_points[{name}_count] || \
         (unsigned long long)value != {name}_values[{name}_count]) {{\n\
         \x20       printf(\"\\n{MARK} %lu %d %lx %lx\\n\", {name}_count, point, \
         (unsigned long)((unsigned long long)value / 65536 / 65536), \
         (unsigned long)((unsigned long long)value % 4294967296ULL));\n\
         \x20       exit(0);\n    }}\n\
         \x20   {name}_count++;\n    return value;\n}}"
    );
    text
}

/// A definition of the check of floating values, which gives their bits to the other one. All that
/// are not numbers are one.
fn double_check(name: &str) -> String {
    let nan = f64::NAN.to_bits();
    format!(
        "__attribute__((noinline)) double {name}_double(int point, double value)\n{{\n\
         \x20   union {{ double value; long long bits; }} both;\n\
         \x20   both.value = value;\n\
         \x20   {name}(point, value == value ? both.bits : {nan}LL);\n    return value;\n}}\n"
    )
}
