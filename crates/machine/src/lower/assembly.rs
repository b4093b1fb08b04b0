//! Inline assembly whose template is empty, which programs use to keep a compiler from
//! optimising: all that it can do is to tie outputs to inputs. Anything else is unsupported.

use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Asm, AsmId, AsmOperand, ExprId, ExprKind, Qualifiers, StringId};

use super::lvalues::Lvalue;
use super::{Home, Lowerer};
use crate::code::{Op, Reg};
use crate::value::Scalar;
use crate::verdict::Checked;

/// Constraints that say nothing about which register it is. Two operands in one known
/// register would be tied without saying so.
const ANYWHERE: &str = "rmgXinoV";
/// Those of them that leave an operand where it is in memory.
const MEMORY: &str = "moV";

/// What a constraint means for an empty template.
struct Constraint {
    /// `+`: the operand is read too.
    reads: bool,
    /// Whether the operand is always in memory, so that nothing accesses it.
    memory: bool,
    /// Whether it may be in memory.
    maybe_memory: bool,
    /// The output that an input is tied to.
    tied: Option<usize>,
}

impl Lowerer<'_> {
    pub(super) fn assembly(&mut self, asm: AsmId) -> Checked {
        let asm = &self.program[asm];
        let template = &self.program[asm.template].units;
        let empty = template.iter().all(|unit| matches!(unit, 0x20 | 0x09 | 0x0a));
        let operands = asm.outputs.iter().chain(&asm.inputs);
        let constraints: Option<Vec<Constraint>> =
            operands.clone().map(|operand| self.constraint(asm, operand)).collect();
        let Some(mut constraints) = constraints.filter(|_| empty) else {
            self.unsupported("inline assembly");
            return Ok(());
        };
        let values: Vec<ExprId> = operands.map(|operand| operand.value).collect();
        let (outputs, inputs) = constraints.split_at_mut(asm.outputs.len());
        for (output, value) in outputs.iter_mut().zip(&values) {
            // An object in memory that is an input, too, is in one place: nothing writes to it.
            let inputs = inputs.iter().zip(&values[asm.outputs.len()..]);
            output.reads |= output.memory
                && inputs
                    .into_iter()
                    .any(|(input, other)| input.memory && self.is_same_object(*value, *other));
        }
        let alone: Vec<&[ExprId]> = values.chunks(1).collect();
        let recording = self.begin_order(&alone);
        let mut places = Vec::new();
        let mut tied: Vec<Option<(Reg, ExprId)>> = vec![None; asm.outputs.len()];
        for (index, (value, constraint)) in values.iter().zip(&constraints).enumerate() {
            if index > 0 {
                self.next_operand(recording);
            }
            if index < asm.outputs.len() {
                places.push(self.place(*value, true)?);
            } else if let Some(output) = constraint.tied {
                // Not in the register of a local, which may be an output as well.
                let copy = self.temporary();
                tied[output] = Some((self.value_to(*value, Some(copy))?, *value));
            } else if self.program.is_lvalue(*value) {
                self.place(*value, true)?;
            } else {
                self.value(*value)?;
            }
        }
        self.end_order(recording);
        for (index, place) in places.into_iter().enumerate() {
            self.assembly_output(place, values[index], &constraints[index], tied[index]);
        }
        Ok(())
    }

    /// An output keeps its value, gets that of an input, or has none from here on.
    fn assembly_output(
        &mut self,
        place: Lvalue,
        output: ExprId,
        constraint: &Constraint,
        tied: Option<(Reg, ExprId)>,
    ) {
        let ty = self.program.type_of(output);
        let volatile = ty.qualifiers().contains(Qualifiers::VOLATILE);
        if volatile && constraint.maybe_memory && !constraint.memory {
            self.unsupported("inline assembly that may access a volatile object or not");
            return;
        }
        let scalar = self.scalar(ty);
        match tied {
            None if constraint.reads && (constraint.memory || scalar.is_none()) => {}
            None if constraint.reads => {
                let value = self.load(place, ty, None);
                self.store(place, ty, value);
            }
            None => match place {
                Lvalue::Register(dst) => {
                    self.emit(Op::Forget { dst });
                }
                Lvalue::Local { local, offset: 0 } if self.is_whole(output, local) => {
                    self.emit(Op::ForgetMemory { local });
                }
                _ => {
                    self.unsupported("inline assembly that leaves an output without a value");
                }
            },
            Some((src, input)) => {
                let from = self.scalar(self.program.type_of(input));
                match (from, scalar) {
                    (Some(from), Some(to)) if self.shares_register(input, from, to) => {
                        let value = self.converted(src, from, to);
                        self.store(place, ty, value);
                    }
                    _ => {
                        self.unsupported("inline assembly with tied operands of different sizes");
                    }
                }
            }
        }
    }

    fn is_same_object(&self, one: ExprId, other: ExprId) -> bool {
        match (&self.program[one].kind, &self.program[other].kind) {
            (ExprKind::Object(one), ExprKind::Object(other)) => one == other,
            _ => false,
        }
    }

    /// Whether a lvalue is all of a local in memory.
    fn is_whole(&self, expr: ExprId, local: u32) -> bool {
        match self.program[expr].kind {
            ExprKind::Object(object) => {
                matches!(self.homes.get(&object), Some(Home::Memory(home)) if *home == local)
            }
            _ => false,
        }
    }

    /// Whether an input and an output in one register have one value. Of a value that is
    /// narrower than the register, the rest is anything, unless it is a constant on x86-64,
    /// where compilers load all of the register. On s390x GCC loads the low half.
    fn shares_register(&self, input: ExprId, from: Scalar, to: Scalar) -> bool {
        let pointer = 8 * self.program.target.pointer.size as u8;
        let bits = |scalar: Scalar| match scalar {
            Scalar::Int { bits, .. } => Some(bits),
            Scalar::Pointer => Some(pointer),
            _ => None,
        };
        if from == to {
            return true;
        }
        let constant = self.program.target == &X86_64_LINUX
            && matches!(self.program[input].kind, ExprKind::Int(value) if value < 1 << 7);
        match (bits(from), bits(to)) {
            (Some(from), Some(to)) => from == to || from < to && constant,
            _ => false,
        }
    }

    /// The meaning of a constraint; `None` if it asks for more than is understood here.
    fn constraint(&self, asm: &Asm, operand: &AsmOperand) -> Option<Constraint> {
        // A variable in a register of its own is tied to all others there.
        if let ExprKind::Object(object) = self.program[operand.value].kind
            && self.program[object].asm_name.is_some()
        {
            return None;
        }
        let text = self.ascii(operand.constraint)?;
        let letters: String = text.chars().filter(|letter| !"=+&%, ".contains(*letter)).collect();
        let mut constraint = Constraint {
            reads: text.contains('+'),
            memory: letters.chars().all(|letter| MEMORY.contains(letter)),
            maybe_memory: letters.chars().any(|letter| "mgXoV".contains(letter)),
            tied: None,
        };
        if let Ok(output) = letters.parse::<usize>() {
            constraint.tied = Some(output);
        } else if let Some(name) = letters.strip_prefix('[') {
            let name = name.strip_suffix(']')?;
            let named = |output: &AsmOperand| {
                output.name.is_some_and(|symbol| self.program.text(symbol) == name)
            };
            constraint.tied = Some(asm.outputs.iter().position(named)?);
        } else if letters.is_empty() || !letters.chars().all(|letter| ANYWHERE.contains(letter)) {
            return None;
        }
        (constraint.tied.is_none_or(|output| output < asm.outputs.len())).then_some(constraint)
    }

    fn ascii(&self, string: StringId) -> Option<String> {
        let units = self.program[string].units.iter();
        units.map(|unit| char::from_u32(*unit).filter(char::is_ascii)).collect()
    }
}
