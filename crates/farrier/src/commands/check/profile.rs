//! What `farrier check --profile` writes; docs/reference/profile.md explains it.

use std::cmp::Reverse;

use anyhow::Result;
use farrier_lang::target::FloatFormat;
use farrier_lang::{
    ExprId, ExprKind, GuardCheck, Program, Span, Stmt, StmtId, integer_type, print,
};
use farrier_machine::{Observed, Profile, Run, Verdict};
use serde::Serialize;

/// A longer excerpt is cut.
const MAX_TEXT: usize = 80;

/// The version of the document. Fields may be added, but none changes its meaning
/// without a new version.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Function {
    name: String,
    calls: u64,
}

#[derive(Serialize)]
struct Statement {
    #[serde(flatten)]
    place: Place,
    kind: &'static str,
    count: u64,
    ran: bool,
}

#[derive(Serialize)]
struct Expression {
    #[serde(flatten)]
    place: Place,
    kind: &'static str,
    /// The operator, as C writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    operator: Option<&'static str>,
    #[serde(rename = "type")]
    ty: String,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guard: Option<Guard>,
}

#[derive(Serialize)]
struct Guard {
    check: &'static str,
    fired: u64,
    operands: Vec<Vec<String>>,
    more_operands: bool,
}

/// Where a node is; a node without a place has none of these.
#[derive(Serialize, Default)]
struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The document: JSON with one record a line, so that it can be searched by line.
pub(super) fn document(program: &Program, run: &Run, profile: &Profile) -> Result<String> {
    let verdict = match run.verdict {
        Verdict::Defined(_) => "defined",
        Verdict::Undefined(_) => "undefined",
        Verdict::Unspecified(_) => "unspecified",
        Verdict::Unsupported(_) => "unsupported",
        Verdict::Exhausted(_) => "exhausted",
    };
    let functions = program.functions.iter().filter_map(|(_, function)| {
        let name = program.text(function.name).to_owned();
        Some(Function { name, calls: profile.stmt(function.body?) })
    });
    let (mut expressions, mut statements) = farrier_machine::counted(program);
    statements.sort_by_key(|id| in_order(program.stmt_span(*id)));
    expressions.sort_by_key(|id| in_order(program.expr_span(*id)));
    let functions = lines(functions)?;
    let statements = lines(statements.iter().map(|id| statement(program, profile, *id)))?;
    let expressions = lines(expressions.iter().map(|id| expression(program, profile, *id)))?;
    Ok(format!(
        "{{\n\"format\": {FORMAT},\n\"verdict\": \"{verdict}\",\n\
         \"functions\": {functions},\n\
         \"statements\": {statements},\n\
         \"expressions\": {expressions}\n}}\n"
    ))
}

/// As in the text, the whole before its parts.
fn in_order(span: Option<Span>) -> (u32, Reverse<u32>) {
    span.map_or((0, Reverse(0)), |span| (span.start, Reverse(span.end)))
}

fn lines(records: impl Iterator<Item = impl Serialize>) -> Result<String> {
    let records: Vec<String> =
        records.map(|record| serde_json::to_string(&record)).collect::<Result<_, _>>()?;
    Ok(if records.is_empty() { "[]".into() } else { format!("[\n{}\n]", records.join(",\n")) })
}

fn statement(program: &Program, profile: &Profile, id: StmtId) -> Statement {
    Statement {
        place: place(program, program.stmt_span(id)),
        kind: statement_kind(&program[id]),
        count: profile.stmt(id),
        ran: profile.ran(program, id),
    }
}

fn expression(program: &Program, profile: &Profile, id: ExprId) -> Expression {
    let node = &program[id];
    let seen = profile.expr(id);
    // 128 bits without a sign are kept as if they had one.
    let unsigned = integer_type(program, node.ty).is_some_and(|ty| !ty.signed);
    let number = |value: i128| match unsigned {
        true => (value as u128).to_string(),
        false => value.to_string(),
    };
    let range = seen.integers().filter(|values| !unsigned || values.low >= 0);
    Expression {
        place: place(program, program.expr_span(id)),
        kind: expression_kind(&node.kind),
        operator: match node.kind {
            ExprKind::Binary(op, ..) | ExprKind::CompoundAssign { op, .. } => Some(op.text()),
            _ => None,
        },
        ty: print::type_text(program, node.ty),
        count: seen.count,
        low: range.map(|values| number(values.low)),
        high: range.map(|values| number(values.high)),
        values: seen.integers().and_then(|values| {
            let few = values.few()?;
            Some(few.iter().map(|value| number(*value)).collect())
        }),
        guard: match node.kind {
            ExprKind::Guard { check, .. } => Some(guard(profile, id, check)),
            _ => None,
        },
    }
}

fn guard(profile: &Profile, id: ExprId, check: GuardCheck) -> Guard {
    let firings = profile.firings(id);
    let words = |operand: &Observed| match *operand {
        Observed::Integer(value) => value.to_string(),
        Observed::Float(value) => {
            let (double, _) = value.convert(FloatFormat::Double);
            f64::from_bits(double.bits as u64).to_string()
        }
        Observed::Null => "null".to_owned(),
        Observed::Address | Observed::Nothing => "address".to_owned(),
    };
    Guard {
        check: match check {
            GuardCheck::Operation => "operation",
            GuardCheck::Exact => "exact",
            GuardCheck::Index { .. } => "index",
            GuardCheck::Pointer => "pointer",
        },
        fired: profile.fired(id),
        operands: firings.map_or_else(Vec::new, |firings| {
            firings.few.iter().map(|operands| operands.iter().map(words).collect()).collect()
        }),
        more_operands: firings.is_some_and(|firings| firings.more),
    }
}

fn place(program: &Program, span: Option<Span>) -> Place {
    let found = span.and_then(|span| Some((program.sources.place(span)?, span)));
    let Some((place, span)) = found else { return Place::default() };
    let text = program.sources.excerpt(span).unwrap_or_default();
    let column = place.text.get(..place.column as usize - 1).map(|before| before.chars().count());
    Place {
        file: Some(place.file.to_owned()),
        line: Some(place.line),
        column: Some(column.map_or(place.column, |count| count as u32 + 1)),
        text: Some(text[..text.floor_char_boundary(MAX_TEXT)].to_owned()),
    }
}

fn statement_kind(stmt: &Stmt) -> &'static str {
    match stmt {
        Stmt::Empty => "empty",
        Stmt::Expr(_) => "expression",
        Stmt::Block(_) => "block",
        Stmt::Declare(_) => "declaration",
        Stmt::DefineRecord(_) => "record",
        Stmt::DefineFunction(_) => "function",
        Stmt::If { .. } => "if",
        Stmt::While { .. } => "while",
        Stmt::DoWhile { .. } => "do",
        Stmt::For { .. } => "for",
        Stmt::Switch { .. } => "switch",
        Stmt::Case { .. } => "case",
        Stmt::Default(_) => "default",
        Stmt::Label(..) => "label",
        Stmt::Goto(_) | Stmt::GotoComputed(_) => "goto",
        Stmt::Break => "break",
        Stmt::Continue => "continue",
        Stmt::Return(_) => "return",
        Stmt::Asm(_) => "asm",
        Stmt::Fallthrough => "fallthrough",
        Stmt::Hinted { .. } => "pragma",
    }
}

fn expression_kind(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Imaginary(_) => "constant",
        ExprKind::EnumConstant(_) => "constant",
        ExprKind::String(_) => "string",
        ExprKind::Object(_) => "object",
        ExprKind::Function(_) => "function",
        ExprKind::LabelAddress(_) => "label address",
        ExprKind::CompoundLiteral(_) => "compound literal",
        ExprKind::InitList(_) => "initialiser",
        ExprKind::Unary(..) => "unary",
        ExprKind::AddressOf(_) => "address",
        ExprKind::Deref(_) => "dereference",
        ExprKind::Step(..) => "step",
        ExprKind::Binary(..) => "binary",
        ExprKind::Logical(..) => "logical",
        ExprKind::Comma(..) => "comma",
        ExprKind::Assign(..) | ExprKind::CompoundAssign { .. } => "assignment",
        ExprKind::Conditional { .. } => "conditional",
        ExprKind::Load(_) => "load",
        ExprKind::Decay(_) => "decay",
        ExprKind::Convert(_) => "conversion",
        ExprKind::Cast(_) => "cast",
        ExprKind::Call(..) => "call",
        ExprKind::Builtin(..) => "builtin",
        ExprKind::Member(..) => "member",
        ExprKind::Index(..) => "index",
        ExprKind::Swizzle(..) => "swizzle",
        ExprKind::SizeofType(_) | ExprKind::SizeofExpr(_) => "sizeof",
        ExprKind::AlignofType(..) | ExprKind::AlignofExpr(..) => "alignof",
        ExprKind::Offsetof(..) => "offsetof",
        ExprKind::VaArg(_) => "va_arg",
        ExprKind::StatementExpr(_) => "statement expression",
        ExprKind::Guard { .. } => "guard",
    }
}
