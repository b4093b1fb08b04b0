//! What a program promises to compilers: attributes of functions, and `[static n]`.

use farrier_lang::{Attribute, FunctionId, ObjectId, Program, Type};

use super::Lowerer;
use crate::code::{Op, Promise, Reg};
use crate::value::Scalar;
use crate::verdict::At;

/// Whether something has an attribute.
pub(crate) fn has_attribute(program: &Program, attributes: &[Attribute], name: &str) -> bool {
    find_attribute(program, attributes, name).is_some()
}

/// An attribute, by its name.
pub(crate) fn find_attribute<'a>(
    program: &Program,
    attributes: &'a [Attribute],
    name: &str,
) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| program.text(attribute.name) == name)
}

/// The numbers among the arguments of an attribute; nothing if one is no number.
pub(crate) fn numbers(attribute: &Attribute) -> Option<Vec<u32>> {
    let arguments = attribute.arguments.as_deref().unwrap_or_default().split(',');
    arguments.map(str::trim).filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect()
}

/// The function that another is an `alias` of, if the program defines it.
pub(crate) fn alias_target(program: &Program, id: FunctionId) -> Option<FunctionId> {
    let attribute = find_attribute(program, &program[id].attributes, "alias")?;
    let name = program.names.find(attribute.arguments.as_deref()?.trim_matches('"'))?;
    let mut functions = program.functions.iter();
    functions.find(|(_, other)| other.name == name && other.body.is_some()).map(|(id, _)| id)
}

/// Whether a function has no body of its own, but that of another.
pub(crate) fn is_alias(program: &Program, id: FunctionId) -> bool {
    program[id].body.is_none() && has_attribute(program, &program[id].attributes, "alias")
}

/// Whether a function runs without being named: before or after `main`.
pub(crate) fn runs_by_itself(program: &Program, id: FunctionId) -> bool {
    let has = |name| has_attribute(program, &program[id].attributes, name);
    has("constructor") || has("destructor")
}

impl Lowerer<'_> {
    /// At the start of a function, when its arguments are in the first registers: checks
    /// what is promised of them, and keeps what the checks of the result need.
    pub(super) fn begin_promises(&mut self, id: FunctionId) {
        let function = &self.program[id];
        self.at = function.body.map_or(At::Nowhere, At::Stmt);
        for (index, &parameter) in function.parameters.iter().enumerate() {
            self.promised_elements(parameter, index as Reg);
        }
        for attribute in &function.attributes {
            let numbers = numbers(attribute);
            match self.program.text(attribute.name) {
                "nonnull" => self.promised_arguments(id, numbers),
                "returns_nonnull" => self.results.push(Promise::Result),
                "malloc" => {
                    let since = self.temporary();
                    self.emit(Op::Now { dst: since });
                    self.results.push(Promise::New { since });
                }
                "alloc_size" => match numbers.as_deref() {
                    Some([count]) => self.promised_size(id, *count, None),
                    Some([count, size]) => self.promised_size(id, *count, Some(*size)),
                    _ => self.unknown_promise("alloc_size"),
                },
                "alloc_align" => match numbers.as_deref() {
                    Some([number]) if self.is_parameter(id, *number) => {
                        let align = self.kept(*number);
                        self.promised_alignment(align, 0);
                    }
                    _ => self.unknown_promise("alloc_align"),
                },
                "assume_aligned" => match numbers.as_deref() {
                    Some([align, rest @ ..]) if rest.len() < 2 => {
                        let dst = self.temporary();
                        self.emit(Op::Constant { dst, low: u64::from(*align) });
                        self.promised_alignment(dst, rest.first().copied().unwrap_or(0));
                    }
                    _ => self.unknown_promise("assume_aligned"),
                },
                "access" => self.unknown_promise("access"),
                _ => {}
            }
        }
        self.at = At::Nowhere;
    }

    /// The register in which the time of the call of a function is that promises to have no
    /// effect, taken before its parameters are there.
    pub(super) fn time_of_call(&mut self, id: FunctionId) -> Option<(Reg, bool)> {
        let attributes = &self.program[id].attributes;
        let constant = has_attribute(self.program, attributes, "const");
        if !constant && !has_attribute(self.program, attributes, "pure") {
            return None;
        }
        let since = self.temporary();
        self.emit(Op::Now { dst: since });
        Some((since, constant))
    }

    fn unknown_promise(&mut self, name: &str) {
        self.unsupported(format!("the attribute `{name}` of a function that is defined here"));
    }

    fn is_parameter(&self, id: FunctionId, number: u32) -> bool {
        number >= 1 && number as usize <= self.program[id].parameters.len()
    }

    fn is_pointer(&self, object: ObjectId) -> bool {
        self.scalar(self.program[object].ty) == Some(Scalar::Pointer)
    }

    /// A copy of an argument, which the function may overwrite.
    fn kept(&mut self, number: u32) -> Reg {
        let dst = self.temporary();
        self.emit(Op::Copy { dst, src: number - 1 });
        dst
    }

    fn check_promise(&mut self, promise: Promise, src: Reg) {
        let promise = self.promise(promise);
        self.emit(Op::CheckPromise { promise, src });
    }

    fn promise(&mut self, promise: Promise) -> u32 {
        self.code.promises.push(promise);
        self.code.promises.len() as u32 - 1
    }

    /// `nonnull`, with or without a list.
    fn promised_arguments(&mut self, id: FunctionId, numbers: Option<Vec<u32>>) {
        let Some(numbers) = numbers else { return self.unknown_promise("nonnull") };
        let function = &self.program[id];
        let Type::Function(ty) = self.program.resolve(function.ty) else { return };
        for (index, &parameter) in function.parameters.iter().enumerate() {
            let number = index as u32 + 1;
            let listed = numbers.is_empty() || numbers.contains(&number);
            if listed && self.is_pointer(parameter) {
                self.check_promise(Promise::Argument(number), index as Reg);
            }
        }
        let beyond = numbers.iter().any(|number| !self.is_parameter(id, *number));
        if beyond {
            self.unknown_promise("nonnull");
        } else if numbers.is_empty() && ty.variadic {
            self.check_promise(Promise::Arguments, 0);
        }
    }

    fn promised_size(&mut self, id: FunctionId, count: u32, size: Option<u32>) {
        let known =
            self.is_parameter(id, count) && size.is_none_or(|size| self.is_parameter(id, size));
        if !known {
            return self.unknown_promise("alloc_size");
        }
        let count = self.kept(count);
        let size = size.map(|size| self.kept(size));
        self.results.push(Promise::Size { count, size });
    }

    fn promised_alignment(&mut self, align: Reg, offset: u32) {
        self.results.push(Promise::Aligned { align, offset });
    }

    /// `a[static n]`, C11 6.7.6.3p7: the argument points to at least `n` elements.
    fn promised_elements(&mut self, parameter: ObjectId, src: Reg) {
        let object = &self.program[parameter];
        let Some(attribute) = find_attribute(self.program, &object.attributes, "static") else {
            return;
        };
        let length = attribute.arguments.as_deref().and_then(|text| text.parse::<u64>().ok());
        let element = self.program.pointee(object.ty).and_then(|ty| self.size_of(ty));
        match length.zip(element).and_then(|(length, element)| length.checked_mul(element)) {
            Some(bytes) => self.check_promise(Promise::Bytes(bytes), src),
            None => self.unknown_promise("static"),
        }
    }

    /// Before a function returns a value: checks what is promised of it.
    pub(super) fn check_result(&mut self, src: Reg) {
        for promise in self.results.clone() {
            self.check_promise(promise, src);
        }
    }
}
