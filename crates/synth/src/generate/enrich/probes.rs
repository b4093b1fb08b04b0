//! Comparisons of variables with the values that they have at a spot, so that a wrong value is
//! seen where it arises, even if it never reaches the checksum.

use farrier_lang::{
    BinaryOp, Entity, ExprId, ExprKind, FunctionId, Item, Linkage, LogicalOp, Object, ObjectId,
    Stmt, Storage, Types, integer_type,
};

use super::{Enricher, Spot};
use crate::generate::PROBE;

/// How many variables one probe looks at.
const MOST_OBJECTS: usize = 3;

/// The operations of a probe.
const OPERATIONS: u64 = 20;

/// Adds `if (x != 17 || y != -3) probe = 12;`.
pub(super) fn add(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<()> {
    if enricher.visits(spot) == 0 {
        return None;
    }
    let mut known: Vec<(ObjectId, i128)> = Vec::new();
    for (object, values) in enricher.known(spot) {
        let bits = integer_type(enricher.program, enricher.program[object].ty)?.bits;
        if let [value] = values[..]
            && bits <= 64
        {
            known.push((object, value));
        }
    }
    enricher.choices.shuffle(&mut known);
    known.truncate(MOST_OBJECTS);
    let mut condition: Option<ExprId> = None;
    for (object, value) in known {
        let (actual, expected) = (enricher.load(object), enricher.constant(value)?);
        let differs = enricher.builder().binary(BinaryOp::NotEqual, actual, expected).ok()?;
        condition = match condition {
            Some(other) => Some(enricher.builder().logical(LogicalOp::Or, other, differs).ok()?),
            None => Some(differs),
        };
    }
    let condition = condition?;
    let probe = enricher.probe()?;
    enricher.names += 1;
    let (place, number) = (enricher.place(probe), enricher.constant(enricher.names.into())?);
    let react = enricher.builder().assign(place, number).ok()?;
    let then = enricher.program.stmts.push(Stmt::Expr(react));
    let stmt = enricher.program.stmts.push(Stmt::If { condition, then, otherwise: None });
    enricher.insert(spot, &[stmt], OPERATIONS)
}

impl Enricher<'_> {
    /// The variable that has the number of the last probe that failed; `main` prints it.
    fn probe(&mut self) -> Option<ObjectId> {
        if let Some(probe) = self.probe {
            return Some(probe);
        }
        let printf = self.program.names.find("printf")?;
        let mut functions = self.program.functions.ids();
        let printf = functions.find(|id| self.program[*id].name == printf)?;
        let name = self.program.names.intern(PROBE);
        let probe = self.program.objects.push(Object {
            linkage: Linkage::External,
            storage: Storage::Static,
            ..Object::local(name, Types::INT)
        });
        self.program.items.insert(0, Item::Define(Entity::Object(probe)));
        self.report(probe, printf)?;
        self.probe = Some(probe);
        Some(probe)
    }

    /// `if (probe) printf("probe %d failed\n", probe);` at the end of `main`.
    fn report(&mut self, probe: ObjectId, printf: FunctionId) -> Option<()> {
        let text = self.program.string("probe %d failed\n");
        let (condition, value) = (self.load(probe), self.load(probe));
        let ty = self.program[printf].ty;
        let designator = self.builder().node(ExprKind::Function(printf), ty);
        let call = self.builder().call(designator, vec![text, value]).ok()?;
        let then = self.program.stmts.push(Stmt::Expr(call));
        let stmt = self.program.stmts.push(Stmt::If { condition, then, otherwise: None });
        let main = self.program.main()?;
        let body = self.program[main].body?;
        let Stmt::Block(inner) = &mut self.program[body] else { return None };
        inner.insert(inner.len().saturating_sub(1), stmt);
        Some(())
    }
}
