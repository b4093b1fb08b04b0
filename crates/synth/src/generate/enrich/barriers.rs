//! Inline assembly that does nothing, and of which the compiler has to assume that it changes
//! a variable.

use farrier_lang::{
    Asm, AsmOperand, Encoding, ExprId, ObjectId, Stmt, Storage, StringId, StringLiteral, Type,
    integer_type,
};

use super::{Enricher, Spot};

/// The operations of a barrier.
const OPERATIONS: u64 = 8;

/// How the variable is named in it: the constraint of the output, and that of an input.
const FORMS: &[(&str, Option<&str>)] =
    &[("+r", None), ("+r", None), ("+m", None), ("=r", Some("0"))];

/// How many barriers also concern all of memory, in percent.
const MEMORY: u32 = 20;

/// Adds `asm volatile ("" : "+r"(x));`.
pub(super) fn add(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<()> {
    let mut objects: Vec<ObjectId> = spot.objects.clone();
    objects.retain(|object| {
        let of = &enricher.program[*object];
        let widest = 8 * enricher.program.target.pointer.size;
        let fits = integer_type(enricher.program, of.ty).is_some_and(|ty| ty.bits <= widest);
        // A `_BitInt` cannot be in a register of assembly.
        let fits = fits && !matches!(enricher.program.resolve(of.ty), Type::BitInt { .. });
        let has_value = of.storage == Storage::Static || enricher.values(spot, *object).is_some();
        fits && has_value && of.ty.qualifiers().is_empty()
    });
    let object = enricher.choices.pick_any(&objects)?;
    let (output, input) = enricher.choices.pick(FORMS);
    let place = enricher.place(object);
    let outputs = [enricher.operand(output, place)].into();
    let inputs = match input {
        Some(input) => {
            let value = enricher.load(object);
            [enricher.operand(input, value)].into()
        }
        None => [].into(),
    };
    let clobbers = match enricher.choices.chance(MEMORY) {
        true => [enricher.text("memory")].into(),
        false => [].into(),
    };
    let template = enricher.text("");
    let asm = enricher.program.asms.push(Asm {
        volatile: true,
        inline: false,
        extended: true,
        template,
        outputs,
        inputs,
        clobbers,
        labels: [].into(),
    });
    let stmt = enricher.program.stmts.push(Stmt::Asm(asm));
    enricher.insert(spot, &[stmt], OPERATIONS)
}

impl Enricher<'_> {
    fn text(&mut self, text: &str) -> StringId {
        let units = text.bytes().map(u32::from).collect();
        self.program.strings.push(StringLiteral { encoding: Encoding::Plain, units })
    }

    fn operand(&mut self, constraint: &str, value: ExprId) -> AsmOperand {
        AsmOperand { name: None, constraint: self.text(constraint), value }
    }
}
