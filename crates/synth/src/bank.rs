//! The bank: small functions of our own, as C text, whose calls can stand for a value that
//! is known.
//!
//! Every function takes one to four integers and returns one, has no effect, writes no
//! global, and is defined for all arguments on every target. It executes at most
//! 400 operations. `tests` holds all of them against this.

use std::sync::OnceLock;

use farrier_front::{Options, parse};
use farrier_lang::build::Builder;
use farrier_lang::copy::EntityMap;
use farrier_lang::layout::Layouts;
use farrier_lang::print::{GuardStyle, PrintOptions, print_items};
use farrier_lang::target::TARGETS;
use farrier_lang::{
    Entity, ExprKind, Function, FunctionId, FunctionType, IntKind, Item, Linkage, Program,
    SourceText, Stmt, Target, Type, Types, import,
};
use farrier_machine::{Callable, Options as Limits};

/// The files of the bank, by kind.
const FILES: [(&str, &str); 10] = [
    ("arithmetic.c", include_str!("../bank/arithmetic.c")),
    ("arrays.c", include_str!("../bank/arrays.c")),
    ("bits.c", include_str!("../bank/bits.c")),
    ("calendar.c", include_str!("../bank/calendar.c")),
    ("checksums.c", include_str!("../bank/checksums.c")),
    ("digits.c", include_str!("../bank/digits.c")),
    ("machines.c", include_str!("../bank/machines.c")),
    ("ranges.c", include_str!("../bank/ranges.c")),
    ("records.c", include_str!("../bank/records.c")),
    ("strings.c", include_str!("../bank/strings.c")),
];

/// How many files there are.
pub(crate) const KINDS: usize = FILES.len();

/// A file of the bank, read for one target.
pub(crate) struct Bank {
    /// All of its functions.
    pub(crate) program: Program,
    /// Those that can be called with integers.
    pub(crate) rows: Vec<Row>,
}

/// A function of the bank.
pub(crate) struct Row {
    pub(crate) function: FunctionId,
    pub(crate) parameters: Vec<IntKind>,
    pub(crate) result: IntKind,
    /// About how long its text is.
    pub(crate) bytes: usize,
    probe: Probe,
}

/// The file of the bank with this number. It is read once for each target.
pub(crate) fn bank(kind: usize, target: &'static Target) -> &'static Bank {
    static READ: [[OnceLock<Bank>; TARGETS.len()]; KINDS] =
        [const { [const { OnceLock::new() }; TARGETS.len()] }; KINDS];
    let position =
        TARGETS.iter().position(|other| *other == target).expect("a target of the table");
    READ[kind][position].get_or_init(|| Bank::read(FILES[kind], target))
}

/// Whether a function of a program is one of the bank, by its name. Import may have added a
/// number to it.
pub(crate) fn is_bank_name(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = stem.strip_suffix('_').unwrap_or(name);
    let defines = |text: &str| {
        let is_definition = |line: &str| {
            let head = line.strip_prefix("static ").and_then(|line| line.split_once('('));
            head.is_some_and(|(head, _)| head.rsplit([' ', '*']).next() == Some(stem))
        };
        text.lines().any(is_definition)
    };
    FILES.iter().any(|(_, text)| text.contains(stem) && defines(text))
}

impl Bank {
    fn read((name, text): (&'static str, &'static str), target: &'static Target) -> Self {
        let program = parse(&[SourceText::new(name, text)], &Options::new(target));
        let mut program = program.unwrap_or_else(|failure| {
            panic!("{name} of the bank: {}", failure.diagnostic.message);
        });
        // What is copied into other programs came from no text of theirs.
        program.expr_spans.clear();
        program.stmt_spans.clear();
        let mut rows = Vec::new();
        for item in &program.items {
            if let Item::Define(Entity::Function(function)) = *item {
                rows.extend(row(&program, function, *item));
            }
        }
        Self { program, rows }
    }
}

/// A function of the bank in a program of its own, whose `main` makes calls of it.
#[derive(Clone)]
pub(crate) struct Probe {
    program: Program,
    main: FunctionId,
    function: FunctionId,
}

impl Probe {
    /// A program that makes no call yet. It has nothing but what the function needs, because
    /// the machine looks at all of a program before it runs it.
    fn new(bank: &Program, function: FunctionId) -> Self {
        let mut program = Program::new(bank.target, bank.dialect);
        let function = import::function(&mut program, bank, function, 0, &mut EntityMap::default());
        let function = function.expect("a file of the bank is complete");
        let ty = program.types.function(FunctionType {
            result: Types::INT,
            parameters: [].into(),
            variadic: false,
            prototyped: true,
        });
        let name = program.names.intern("main");
        let main = program.functions.push(Function::declared(name, ty));
        program.items.push(Item::Define(Entity::Function(main)));
        Self { program, main, function }
    }

    /// Lets `main` make these calls.
    fn prepare(&mut self, parameters: &[IntKind], calls: &[&[i128]]) {
        let mut layouts = Layouts::default();
        let mut builder =
            Builder { program: &mut self.program, layouts: &mut layouts, permissive: false };
        let mut body = Vec::new();
        for arguments in calls {
            let arguments = parameters.iter().zip(*arguments).map(|(kind, value)| {
                let argument = builder.program.integer(*value, Types::int(*kind));
                argument.expect("an argument is a value of its type")
            });
            let arguments = arguments.collect();
            let ty = builder.program[self.function].ty;
            let designator = builder.node(ExprKind::Function(self.function), ty);
            let call = builder.call(designator, arguments).expect("arguments fit");
            body.push(builder.program.stmts.push(Stmt::Expr(call)));
        }
        let body = self.program.stmts.push(Stmt::Block(body.into_iter().collect()));
        self.program[self.main].body = Some(body);
    }
}

impl Row {
    /// The function, ready to be called by the machine. It writes nothing outside, so a call does
    /// not depend on those before it.
    pub(crate) fn callable(&self) -> Callable<'_> {
        static LIMITS: OnceLock<Limits> = OnceLock::new();
        let Probe { program, function, .. } = &self.probe;
        let callable = Callable::new(program, *function, LIMITS.get_or_init(Limits::default));
        callable.expect("a file of the bank needs no memory to speak of")
    }
}

/// The value of a call of a function of the bank, and the operations that it takes.
pub(crate) fn call(callable: &mut Callable<'_>, arguments: &[i128]) -> (i128, u64) {
    callable.call(arguments).unwrap_or_else(|verdict| {
        panic!("functions of the bank are defined everywhere: {verdict:?}");
    })
}

/// The row of a function, if all of its parameters and its result are integers.
fn row(program: &Program, function: FunctionId, item: Item) -> Option<Row> {
    let Type::Function(ty) = program.resolve(program[function].ty) else { return None };
    let kind = |ty| match *program.resolve(ty) {
        Type::Int(kind) => Some(kind),
        _ => None,
    };
    let parameters: Option<Vec<IntKind>> = ty.parameters.iter().map(|ty| kind(*ty)).collect();
    let (parameters, result) = (parameters?, kind(ty.result)?);
    debug_assert_eq!(program[function].linkage, Linkage::Internal);
    let options = PrintOptions::guards(GuardStyle::Bare);
    let bytes = print_items(program, &[item], &options).len();
    let mut probe = Probe::new(program, function);
    // The machine calls only what the program names.
    probe.prepare(&parameters, &[&vec![0; parameters.len()]]);
    Some(Row { function, parameters, result, bytes, probe })
}

#[cfg(test)]
mod tests;
