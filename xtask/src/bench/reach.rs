//! Which of GCC's own tests that are run use only what generated programs are made of.
//!
//! A census of constructs looks at programs as the front end reads them. What the generator can
//! draw is what it finds in generated programs, so there is no list that could be wrong.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use farrier_lang::builtins::Builtin;
use farrier_lang::{
    ArrayLength, Attribute, BinaryOp, Entity, ExprId, ExprKind, FunctionId, InitPlace, IntKind,
    Item, ObjectId, Program, Qualifiers, RecordId, RecordKind, Stmt, StmtId, Storage, Type, TypeId,
    UnaryOp,
};
use farrier_synth::{Config, Preset};

use crate::corpus::tree::{self, Parsed};
use crate::corpus::{self, check_all, percent};

/// The share of the tests that the generator is to reach, in percent.
const GOAL: f64 = 60.0;

/// How large the generated programs are.
const SIZES: [usize; 3] = [4_000, 10_000, 30_000];

/// How many missing constructs are listed.
const LISTED: usize = 25;

/// What the frame of a test may call: to end, and to say what it found.
const FRAME: [&str; 5] = ["abort", "exit", "printf", "putchar", "puts"];

/// Functions of the header of the tests of the vectoriser, which ask for the processor.
const VECT_FRAME: [&str; 2] = ["check_vect", "sig_ill_handler"];

/// The constructs of a program, by their names.
type Constructs = BTreeSet<String>;

pub(super) fn run(programs: u64, only: Option<&str>) -> Result<bool> {
    tree::catch_panics();
    let drawn = mixture(programs)?;
    println!("{programs} generated programs have {} constructs", drawn.len());
    let cases = corpus::torture::run_time_tests(only)?;
    let read = check_all(&cases, |case| {
        std::fs::create_dir_all(&case.directory)?;
        let parsed = tree::parse(case)?;
        std::fs::remove_dir_all(&case.directory)?;
        Ok(match parsed {
            Parsed::Program(program) => Some(constructs(&program)),
            Parsed::Refused { .. } | Parsed::Panic(_) => None,
        })
    })?;
    let mut groups: BTreeMap<&str, Vec<Option<Constructs>>> = BTreeMap::new();
    for (case, found) in cases.iter().zip(&read) {
        let missing = found.as_ref().map(|found| found.difference(&drawn).cloned().collect());
        let group = case.name.rsplit_once('/').map_or("", |(group, _)| group);
        groups.entry(group).or_default().push(missing);
    }
    println!("| tests | number | not read | within reach |\n|---|---|---|---|");
    for (group, missing) in &groups {
        println!("{}", line(group, missing));
    }
    let all: Vec<Option<Constructs>> = groups.into_values().flatten().collect();
    println!("{}", line("all", &all));
    println!("\n| missing construct | tests that need it | tests won by it and those above |");
    println!("|---|---|---|");
    for (name, needing, won) in cover(&all, LISTED) {
        println!("| {name} | {needing} | {won} |");
    }
    Ok(reached(&all) >= GOAL)
}

/// The percentage of tests that miss nothing. Those that cannot be read count as missed.
fn reached(tests: &[Option<Constructs>]) -> f64 {
    let is_within =
        |missing: &&Option<Constructs>| missing.as_ref().is_some_and(BTreeSet::is_empty);
    percent(tests.iter().filter(is_within).count(), tests.len())
}

fn line(name: &str, tests: &[Option<Constructs>]) -> String {
    let unread = tests.iter().filter(|test| test.is_none()).count();
    format!("| {name} | {} | {unread} | {:.1} % |", tests.len(), reached(tests))
}

/// The constructs that together win most tests, the best first: each with the number of tests
/// that need it, and those that are within reach with it and the ones before.
fn cover(tests: &[Option<Constructs>], most: usize) -> Vec<(String, usize, usize)> {
    let mut left: Vec<Constructs> = tests.iter().flatten().cloned().collect();
    let mut needing: BTreeMap<String, usize> = BTreeMap::new();
    for name in left.iter().flatten() {
        *needing.entry(name.clone()).or_default() += 1;
    }
    let mut list = Vec::new();
    let mut won = 0;
    left.retain(|missing| !missing.is_empty());
    while list.len() < most && !left.is_empty() {
        // One of several that a test misses wins a part of it.
        let mut worth: BTreeMap<&str, f64> = BTreeMap::new();
        for missing in &left {
            for name in missing {
                *worth.entry(name).or_default() += (missing.len() as f64).powi(-2);
            }
        }
        // The first of several that are worth the same.
        let best = worth.into_iter().rev().max_by(|(_, a), (_, b)| a.total_cmp(b));
        let Some(best) = best.map(|(name, _)| name.to_owned()) else { break };
        for missing in &mut left {
            missing.remove(&best);
        }
        let before = left.len();
        left.retain(|missing| !missing.is_empty());
        won += before - left.len();
        let count = needing[&best];
        list.push((best, count, won));
    }
    list
}

/// The constructs of the default mixture of a hunt, by generating it. Mutants are left out.
fn mixture(programs: u64) -> Result<Constructs> {
    let mut all = Constructs::new();
    let mut made = 0;
    for seed in 1..=programs {
        let size = SIZES[seed as usize % SIZES.len()];
        let mut config = Config { size, ..Config::default() };
        preset_of(seed).apply(&mut config);
        let Ok(generated) = farrier_synth::generate(seed, &config) else { continue };
        made += 1;
        // As compilers get it: what is printed differently is another construct.
        let options = farrier_front::Options::new(config.target);
        if let Ok(program) = farrier_front::parse(&generated.files, &options) {
            all.extend(constructs(&program));
        }
    }
    ensure!(made > 0, "no program could be generated");
    Ok(all)
}

/// The preset of a program. Of a hundred programs each has its share; the default has the rest.
fn preset_of(seed: u64) -> Preset {
    let mut place = seed % 100;
    for preset in Preset::ALL {
        let share = u64::from(preset.share());
        if place < share {
            return preset;
        }
        place -= share;
    }
    Preset::Default
}

/// What a program is made of. Only what is defined in it counts, not what headers declare; and
/// not the checks around it, which every test has.
fn constructs(program: &Program) -> Constructs {
    let mut census = Census { program, found: Constructs::new(), types: BTreeSet::new() };
    for item in &program.items {
        match *item {
            Item::Define(Entity::Object(object)) => census.object(object),
            Item::Define(Entity::Function(function)) => census.function(function),
            Item::Asm(_) => census.add("asm at file scope"),
            _ => {}
        }
    }
    for name in FRAME {
        census.found.remove(&library(name));
    }
    census.found
}

fn library(name: &str) -> String {
    format!("function {name}")
}

struct Census<'a> {
    program: &'a Program,
    found: Constructs,
    types: BTreeSet<TypeId>,
}

impl Census<'_> {
    fn add(&mut self, name: impl Into<String>) {
        self.found.insert(name.into());
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.add(format!("attribute {}", self.program.text(attribute.name)));
        }
    }

    fn object(&mut self, id: ObjectId) {
        let program = self.program;
        let object = &program[id];
        self.ty(object.ty);
        self.attributes(&object.attributes);
        if object.align.is_some() {
            self.add("aligned object");
        }
        match object.storage {
            Storage::Thread => self.add("thread storage"),
            _ if object.asm_name.is_some() => self.add("asm name"),
            _ => {}
        }
        if let Some(init) = object.init {
            self.expr(init);
        }
    }

    fn function(&mut self, id: FunctionId) {
        let program = self.program;
        let function = &program[id];
        let Some(body) = function.body else { return };
        if VECT_FRAME.contains(&program.text(function.name)) {
            return;
        }
        self.ty(function.ty);
        self.attributes(&function.attributes);
        if function.old_style && !function.parameters.is_empty() {
            self.add("old-style function");
        }
        if function.specifiers.inline {
            self.add("inline function");
        }
        if matches!(program.resolve(function.ty), Type::Function(ty) if ty.variadic) {
            self.add("variadic function");
        }
        for parameter in &function.parameters {
            self.object(*parameter);
        }
        self.stmt(body);
    }

    fn stmt(&mut self, id: StmtId) {
        let program = self.program;
        let stmt = &program[id];
        let name = match stmt {
            Stmt::Declare(object) => {
                self.object(*object);
                None
            }
            Stmt::DefineRecord(_) => Some("record of variable size"),
            Stmt::While { .. } => Some("while"),
            Stmt::DoWhile { .. } => Some("do"),
            Stmt::For { .. } => Some("for"),
            Stmt::Switch { .. } => Some("switch"),
            Stmt::Case { last: Some(_), .. } => Some("range of cases"),
            Stmt::Goto(_) => Some("goto"),
            Stmt::GotoComputed(_) => Some("computed goto"),
            Stmt::Asm(_) => Some("asm"),
            _ => None,
        };
        name.into_iter().for_each(|name| self.add(name));
        stmt.for_each_expr(|expr| self.expr(expr));
        stmt.for_each_child(|child| self.stmt(child));
    }

    fn expr(&mut self, id: ExprId) {
        let program = self.program;
        let expr = &program[id];
        self.ty(expr.ty);
        let pointer = |id: ExprId| matches!(program.resolve(program[id].ty), Type::Pointer(_));
        let name = match &expr.kind {
            ExprKind::Imaginary(_) => Some("imaginary constant"),
            ExprKind::String(_) => Some("string literal"),
            ExprKind::LabelAddress(_) => Some("computed goto"),
            ExprKind::CompoundLiteral(_) => Some("compound literal"),
            ExprKind::InitList(items) => {
                let range = |place: &InitPlace| matches!(place, InitPlace::Elements { first, last } if first != last);
                items.iter().any(|item| range(&item.place)).then_some("range in an initialiser")
            }
            ExprKind::Unary(UnaryOp::Real | UnaryOp::Imag, _) => Some("part of a complex value"),
            ExprKind::Binary(op, left, right) => match (pointer(*left), pointer(*right)) {
                (true, true) if *op == BinaryOp::Sub => Some("difference of pointers"),
                (true, true) => Some("comparison of pointers"),
                (true, false) | (false, true) => Some("pointer arithmetic"),
                (false, false) => None,
            },
            ExprKind::CompoundAssign { target, .. } if pointer(*target) => {
                Some("pointer arithmetic")
            }
            ExprKind::Step(_, target) if pointer(*target) => Some("pointer step"),
            ExprKind::Conditional { then: None, .. } => Some("conditional without middle"),
            ExprKind::Cast(operand) => self.cast(expr.ty, *operand),
            ExprKind::Call(callee, arguments) => {
                self.call(*callee, arguments.is_empty());
                None
            }
            ExprKind::Builtin(builtin, _) => {
                self.add(builtin_name(*builtin));
                None
            }
            ExprKind::AlignofType(..) | ExprKind::AlignofExpr(..) => Some("alignof"),
            ExprKind::SizeofType(_) | ExprKind::SizeofExpr(_) => Some("sizeof"),
            ExprKind::Offsetof(..) => Some("offsetof"),
            ExprKind::VaArg(_) => Some("va_arg"),
            ExprKind::StatementExpr(body) => {
                self.stmt(*body);
                Some("statement expression")
            }
            _ => None,
        };
        name.into_iter().for_each(|name| self.add(name));
        expr.kind.for_each_operand(|operand| self.expr(operand));
    }

    /// A cast that is more than one between arithmetic types.
    fn cast(&self, to: TypeId, operand: ExprId) -> Option<&'static str> {
        let from = self.program.resolve(self.program[operand].ty);
        match (from, self.program.resolve(to)) {
            (_, Type::Void) => Some("cast to void"),
            (Type::Pointer(_), Type::Pointer(_)) => Some("cast of pointers"),
            (Type::Pointer(_), _) => Some("pointer to integer"),
            (_, Type::Pointer(_)) => Some("integer to pointer"),
            (_, Type::Vector { .. }) | (Type::Vector { .. }, _) => Some("cast of vectors"),
            (_, Type::Record(_)) => Some("cast to a union"),
            _ => None,
        }
    }

    /// A function of the library by its name; functions of the program are drawn.
    fn call(&mut self, callee: ExprId, is_bare: bool) {
        let (ExprKind::Decay(inner) | ExprKind::AddressOf(inner)) = &self.program[callee].kind
        else {
            self.add("call through a pointer");
            return;
        };
        let ExprKind::Function(id) = &self.program[*inner].kind else {
            self.add("call through a pointer");
            return;
        };
        let function = &self.program[*id];
        let name = self.program.text(function.name);
        let known =
            matches!(self.program.resolve(function.ty), Type::Function(ty) if ty.prototyped);
        if function.body.is_none() {
            self.add(library(name));
        } else if !known && !is_bare {
            self.add("call without a prototype");
        }
    }

    fn ty(&mut self, id: TypeId) {
        let program = self.program;
        if !self.types.insert(id) {
            return;
        }
        if id.qualifiers().contains(Qualifiers::VOLATILE) {
            self.add("volatile");
        }
        if id.qualifiers().contains(Qualifiers::RESTRICT) {
            self.add("restrict");
        }
        if id.qualifiers().contains(Qualifiers::ATOMIC) {
            self.add("atomic");
        }
        match program.resolve(id) {
            Type::Int(kind @ (IntKind::Int128 | IntKind::UInt128 | IntKind::Bool)) => {
                self.add(format!("type {kind:?}"));
            }
            Type::BitInt { .. } => self.add("type BitInt"),
            Type::Float(kind) => self.add(format!("type {kind:?}")),
            Type::Complex(part) => {
                self.add("complex");
                self.ty(*part);
            }
            Type::Enum(_) => self.add("enum"),
            Type::Pointer(target) => self.ty(*target),
            Type::Array { element, length } => {
                match length {
                    ArrayLength::Variable(_) | ArrayLength::Star => self.add("variable array"),
                    ArrayLength::Unknown => self.add("array of unknown length"),
                    ArrayLength::Fixed(0) => self.add("array of length zero"),
                    ArrayLength::Fixed(_) => self.add("array"),
                }
                self.ty(*element);
            }
            Type::Vector { element, .. } => {
                self.add("vector");
                self.ty(*element);
            }
            Type::Record(record) => self.record(*record),
            Type::VaList => self.add("variadic function"),
            _ => {}
        }
    }

    fn record(&mut self, id: RecordId) {
        let program = self.program;
        let record = &program[id];
        self.add(match record.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        });
        if record.packed || record.pack.is_some() {
            self.add("packed record");
        }
        if record.align.is_some() {
            self.add("aligned record");
        }
        self.attributes(&record.attributes);
        for field in record.fields.iter().flatten() {
            if field.bits.is_some() {
                self.add("bit-field");
            }
            if field.align.is_some() {
                self.add("aligned member");
            }
            self.attributes(&field.attributes);
            self.ty(field.ty);
        }
    }
}

/// A builtin counts as the library function that it stands for.
fn builtin_name(builtin: Builtin) -> String {
    library(builtin.row().library.unwrap_or(builtin.name()))
}

#[cfg(test)]
mod tests {
    use farrier_lang::SourceText;
    use farrier_lang::target::X86_64_LINUX;

    use super::*;

    fn of(text: &str) -> Vec<String> {
        let options = farrier_front::Options::new(&X86_64_LINUX);
        let program = farrier_front::parse(&[SourceText::new("a.c", text)], &options);
        constructs(&program.unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message)))
            .into_iter()
            .collect()
    }

    #[test]
    fn a_program_has_its_constructs() {
        assert_eq!(
            of("void abort(void); int main(void) { if (1 > 2) abort(); return 0; }"),
            [""; 0]
        );
        for (text, expected) in [
            ("double d;", vec!["type Double"]),
            ("typedef int v __attribute__((vector_size(16))); v x;", vec!["vector"]),
            ("_Complex float c;", vec!["complex", "type Float"]),
            ("int *f(int *p) { return p + 1; }", vec!["pointer arithmetic"]),
            ("int *f(int *p) { p++; return p; }", vec!["pointer step"]),
            ("long f(int *p, int *q) { return p - q; }", vec!["difference of pointers"]),
            ("int f(int *p) { return *(short *)p; }", vec!["cast of pointers"]),
            ("void f(int n) { int a[n]; }", vec!["variable array"]),
            ("void f(void) { __asm__(\"\"); }", vec!["asm"]),
            ("int f(int a) { return ({ a; }); }", vec!["statement expression"]),
            ("void *f(void) { l: return &&l; }", vec!["computed goto"]),
            ("void f(int n, ...) {}", vec!["variadic function"]),
            ("struct s { int a : 3; } x;", vec!["bit-field", "struct"]),
            (
                "void *malloc(unsigned long); void *f(void) { return malloc(1); }",
                vec!["function malloc"],
            ),
            ("void *f(void) { return __builtin_malloc(1); }", vec!["function malloc"]),
            ("__attribute__((noinline)) void f(void) {}", vec!["attribute noinline"]),
            ("int f(int (*p)(void)) { return p(); }", vec!["call through a pointer"]),
            ("int f() { return 1; } int g() { return f(); }", vec![]),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
        // What is only declared is not used.
        assert_eq!(of("double sin(double); struct s { float f; }; int x;"), [""; 0]);
    }

    #[test]
    fn the_best_missing_construct_comes_first() {
        let set = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
        let tests = [set(&[]), set(&["a"]), set(&["a"]), set(&["b"]), set(&["a", "c"]), None];
        assert!((reached(&tests) - 100.0 / 6.0).abs() < 0.1);
        let found = cover(&tests, 9);
        let expected = [("a", 3, 2), ("b", 1, 3), ("c", 1, 4)];
        assert_eq!(found, expected.map(|(name, needing, won)| (name.to_owned(), needing, won)));
    }

    #[test]
    fn generated_programs_have_what_they_are_made_of() {
        let drawn = mixture(6).expect("there are programs");
        for name in ["for", "struct", "array"] {
            assert!(drawn.contains(name), "{name}: {drawn:?}");
        }
    }
}
