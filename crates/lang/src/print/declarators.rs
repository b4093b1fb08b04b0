//! Types and declarators: the text of a type grows around a name, inside out.

use super::Printer;
use crate::arena::Symbol;
use crate::program::RecordKind;
use crate::types::{ArrayLength, FloatKind, FunctionType, IntKind, Qualifiers, Type, TypeId};

/// The keywords of an integer type.
pub(super) fn int_keywords(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Bool => "_Bool",
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UInt128 => "unsigned __int128",
    }
}

/// The keywords of a floating type.
pub(super) fn float_keywords(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Float16 => "_Float16",
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Float32 => "_Float32",
        FloatKind::Float64 => "_Float64",
        FloatKind::Float128 => "_Float128",
        FloatKind::Float32x => "_Float32x",
        FloatKind::Float64x => "_Float64x",
    }
}

impl Printer<'_> {
    /// `ty` around `name`; without a name, the type as a cast has it.
    pub(super) fn declare(&mut self, ty: TypeId, name: Option<Symbol>) {
        self.base(ty);
        self.declarator(ty, name);
    }

    /// The declarator of `ty` around `name`, after the base type.
    pub(super) fn declarator(&mut self, ty: TypeId, name: Option<Symbol>) {
        self.before_name(ty);
        if let Some(name) = name {
            self.name_space();
            self.symbol(name);
        }
        self.after_name(ty);
    }

    /// A space before a name, unless `*` or `(` stands there.
    pub(super) fn name_space(&mut self) {
        if !matches!(self.out.last(), Some(b'*' | b'(' | b' ') | None) {
            self.byte(b' ');
        }
    }

    /// The specifiers at the left end of every declaration with this type.
    pub(super) fn base(&mut self, ty: TypeId) {
        let program = self.program;
        match program.types.get(ty) {
            Type::Pointer(target) => self.base(*target),
            Type::Array { element, .. } => self.base(*element),
            Type::Function(function) => self.base(function.result),
            found => {
                let mut qualifiers = ty.qualifiers();
                if self.is_cplusplus() && matches!(found, Type::Record(_)) {
                    // A record has no copies from and to a volatile one.
                    qualifiers = qualifiers.without(Qualifiers::VOLATILE);
                }
                if self.without_const {
                    qualifiers = qualifiers.without(Qualifiers::CONST);
                }
                if !qualifiers.is_empty() {
                    self.qualifiers(qualifiers);
                    self.byte(b' ');
                }
                self.specifier(found);
            }
        }
    }

    fn specifier(&mut self, ty: &Type) {
        let program = self.program;
        match ty {
            Type::Void => self.text("void"),
            Type::Int(IntKind::Bool) if self.is_cplusplus() => self.text("bool"),
            Type::Int(kind) => self.text(int_keywords(*kind)),
            Type::BitInt { signed, width } => {
                self.text(if *signed { "_BitInt(" } else { "unsigned _BitInt(" });
                self.number(u64::from(*width));
                self.byte(b')');
            }
            Type::Float(kind) => self.text(float_keywords(*kind)),
            Type::Complex(element) => {
                self.text("_Complex ");
                self.base(*element);
            }
            Type::Enum(id) => {
                self.text("enum ");
                self.symbol(program[*id].tag);
            }
            Type::Vector { element, lanes } => {
                // The attribute finds its way from here to the base type, through any declarator.
                self.text("__attribute__((vector_size(");
                let size = self.lane_size(*element) * u64::from(*lanes);
                self.number(size);
                self.text("))) ");
                self.base(*element);
            }
            Type::Record(id) => {
                let record = &program[*id];
                self.text(match record.kind {
                    RecordKind::Struct => "struct ",
                    RecordKind::Union => "union ",
                });
                match record.tag {
                    Some(tag) => self.symbol(tag),
                    None => self.text("<anonymous>"),
                }
            }
            Type::Typedef(id) => self.symbol(program[*id].name),
            Type::VaList => self.text("__builtin_va_list"),
            Type::NullPointer => self.text("__typeof__(nullptr)"),
            Type::Pointer(_) | Type::Array { .. } | Type::Function(_) => {
                unreachable!("these have a declarator, not a specifier")
            }
        }
    }

    fn lane_size(&self, element: TypeId) -> u64 {
        let target = self.program.target;
        let scalar = match self.program.resolve(element) {
            Type::Int(kind) => target.int_scalar(*kind),
            Type::Float(kind) => target.float_layout(*kind),
            Type::Enum(id) => target.int_scalar(self.program[*id].underlying),
            Type::Pointer(_) => Some(target.pointer),
            _ => None,
        };
        u64::from(scalar.expect("the lanes of a vector are scalars of the target").size)
    }

    /// Qualifiers with spaces between them.
    pub(super) fn qualifiers(&mut self, qualifiers: Qualifiers) {
        let names = [
            (Qualifiers::CONST, "const"),
            (Qualifiers::VOLATILE, "volatile"),
            (Qualifiers::RESTRICT, if self.is_cplusplus() { "__restrict" } else { "restrict" }),
            (Qualifiers::ATOMIC, "_Atomic"),
        ];
        let held = names.into_iter().filter(|(qualifier, _)| qualifiers.contains(*qualifier));
        for (index, (_, name)) in held.enumerate() {
            if index > 0 {
                self.byte(b' ');
            }
            self.text(name);
        }
    }

    fn needs_parentheses(&self, target: TypeId) -> bool {
        matches!(self.program.types.get(target), Type::Array { .. } | Type::Function(_))
    }

    /// What of the declarator stands left of the name.
    pub(super) fn before_name(&mut self, ty: TypeId) {
        let program = self.program;
        match program.types.get(ty) {
            Type::Pointer(target) => {
                self.before_name(*target);
                self.name_space();
                if self.needs_parentheses(*target) {
                    self.byte(b'(');
                }
                self.byte(b'*');
                self.qualifiers(ty.qualifiers());
            }
            Type::Array { element, .. } => self.before_name(*element),
            Type::Function(function) => self.before_name(function.result),
            _ => {}
        }
    }

    /// What of the declarator stands right of the name.
    pub(super) fn after_name(&mut self, ty: TypeId) {
        let program = self.program;
        match program.types.get(ty) {
            Type::Pointer(target) => {
                if self.needs_parentheses(*target) {
                    self.byte(b')');
                }
                self.after_name(*target);
            }
            Type::Array { element, length } => {
                self.byte(b'[');
                match *length {
                    ArrayLength::Fixed(length) => self.number(length),
                    ArrayLength::Unknown => {}
                    ArrayLength::Variable(length) => self.assignment_expr(length),
                    ArrayLength::Star => self.byte(b'*'),
                }
                self.byte(b']');
                self.after_name(*element);
            }
            Type::Function(function) => {
                self.parameter_types(function);
                self.after_name(function.result);
            }
            _ => {}
        }
    }

    /// The parameter list of a function type, without names.
    pub(super) fn parameter_types(&mut self, function: &FunctionType) {
        self.byte(b'(');
        let is_empty = function.parameters.is_empty() && !function.variadic;
        if function.prototyped && is_empty && !self.is_cplusplus() {
            self.text("void");
        }
        if function.prototyped {
            self.separated(function.parameters.iter(), |printer, &parameter| {
                printer.declare(parameter, None);
            });
        }
        self.variadic_end(function);
        self.byte(b')');
    }

    /// The `...` of a parameter list.
    pub(super) fn variadic_end(&mut self, function: &FunctionType) {
        if function.variadic {
            self.text(if function.parameters.is_empty() { "..." } else { ", ..." });
        }
    }
}
