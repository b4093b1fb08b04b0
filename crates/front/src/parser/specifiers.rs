//! Declaration specifiers: storage classes, types, qualifiers.

use farrier_lang::{FloatKind, IntKind, Qualifiers, Span, Type, TypeId, Types};

use super::attributes::Attributes;
use super::{Parse, Parser};
use crate::scope::Meaning;
use crate::token::{Token, TokenKind};

/// The storage class that a declaration names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum StorageClass {
    #[default]
    None,
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// What comes before the declarators.
#[derive(Clone, Debug)]
pub(super) struct Specifiers {
    pub(super) ty: TypeId,
    pub(super) storage: StorageClass,
    pub(super) thread: bool,
    /// `constexpr` of C23.
    pub(super) constexpr: bool,
    pub(super) inline: bool,
    pub(super) noreturn: bool,
    /// What `_Alignas` asks for; it is in the attributes, too.
    pub(super) alignas: Option<(u32, Span)>,
    pub(super) attributes: Attributes,
    /// The type comes from the initialiser.
    pub(super) inferred: bool,
    /// Whether a struct, union or enum is named or defined here.
    pub(super) tagged: bool,
    pub(super) span: Span,
}

/// The type keywords seen so far.
#[derive(Default)]
struct Words {
    signed: bool,
    unsigned: bool,
    short: bool,
    longs: u8,
    complex: bool,
    base: Option<Base>,
}

impl Words {
    /// Whether a word of the type was there.
    fn is_begun(&self) -> bool {
        let Self { signed, unsigned, short, longs, complex, base } = self;
        *signed || *unsigned || *short || *longs > 0 || *complex || base.is_some()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Void,
    Bool,
    Char,
    Int,
    Int128,
    BitInt(u32),
    Float(FloatKind),
    Type(TypeId),
}

impl Parser<'_> {
    /// Whether a declaration begins here.
    pub(super) fn at_declaration(&self) -> bool {
        use TokenKind::*;
        match self.peek() {
            Identifier => {
                let symbol = self.token().symbol.expect("an identifier has a name");
                // `T:` is a label even if T is a type.
                matches!(self.scopes.lookup(symbol), Some(Meaning::Typedef(_)))
                    && self.peek_at(1) != Colon
            }
            Extension => {
                let mut ahead = 1;
                while self.peek_at(ahead) == Extension {
                    ahead += 1;
                }
                self.kind_starts_type(ahead) || self.kind_starts_storage(ahead)
            }
            StaticAssert => true,
            _ => self.kind_starts_type(0) || self.kind_starts_storage(0),
        }
    }

    /// Whether a type name begins at the token `ahead`.
    pub(super) fn at_type_name(&self, ahead: usize) -> bool {
        let mut ahead = ahead;
        while self.peek_at(ahead) == TokenKind::Extension {
            ahead += 1;
        }
        self.kind_starts_type(ahead) || self.peek_at(ahead) == TokenKind::Attribute
    }

    /// Whether the token `ahead`, which comes after attributes, goes on with a declaration.
    pub(super) fn declares(&self, ahead: usize) -> bool {
        use TokenKind::{Attribute, Extension, LeftBracket};
        matches!(self.peek_at(ahead), Attribute | Extension | LeftBracket)
            || self.kind_starts_type(ahead)
            || self.kind_starts_storage(ahead)
    }

    fn kind_starts_storage(&self, ahead: usize) -> bool {
        use TokenKind::*;
        matches!(
            self.peek_at(ahead),
            Typedef
                | Extern
                | Static
                | Auto
                | Register
                | Thread
                | Inline
                | Noreturn
                | Alignas
                | Constexpr
        )
    }

    fn kind_starts_type(&self, ahead: usize) -> bool {
        use TokenKind::*;
        match self.peek_at(ahead) {
            Identifier => {
                let symbol = self.tokens[self.at + ahead].symbol.expect("an identifier has a name");
                matches!(self.scopes.lookup(symbol), Some(Meaning::Typedef(_)))
            }
            Void | Bool | Char | Short | Int | Long | Float | Double | Signed | Unsigned
            | Complex | Int128 | UInt128 | BitInt | Float16 | Float32 | Float64 | Float128
            | Float32x | Float64x | Decimal32 | Decimal64 | Decimal128 | Struct | Union | Enum
            | Typeof | TypeofUnqual | AutoType | BuiltinVaList | Const | Volatile | Restrict
            | Atomic => true,
            _ => false,
        }
    }

    /// Declaration specifiers, C11 6.7.
    #[expect(clippy::too_many_lines, reason = "one arm for each specifier")]
    pub(super) fn specifiers(&mut self) -> Parse<Specifiers> {
        use TokenKind::*;
        let span = self.span();
        let mut words = Words::default();
        let mut qualifiers = Qualifiers::NONE;
        let mut auto = false;
        let mut specifiers = Specifiers {
            ty: Types::INT,
            storage: StorageClass::None,
            thread: false,
            constexpr: false,
            inline: false,
            noreturn: false,
            alignas: None,
            attributes: Attributes::default(),
            inferred: false,
            tagged: false,
            span,
        };
        loop {
            if specifiers.storage == StorageClass::Typedef && !words.is_empty() {
                self.free_keyword();
            }
            let token = self.token();
            match token.kind {
                Typedef => self.storage(&mut specifiers, StorageClass::Typedef)?,
                Extern => self.storage(&mut specifiers, StorageClass::Extern)?,
                Static => self.storage(&mut specifiers, StorageClass::Static)?,
                Auto => auto = true,
                Register => self.storage(&mut specifiers, StorageClass::Register)?,
                Thread => specifiers.thread = true,
                Inline => specifiers.inline = true,
                Noreturn => specifiers.noreturn = true,
                Extension => {}
                Const => qualifiers |= Qualifiers::CONST,
                Constexpr => specifiers.constexpr = true,
                Volatile => qualifiers |= Qualifiers::VOLATILE,
                Restrict => qualifiers |= Qualifiers::RESTRICT,
                Atomic if self.peek_at(1) == LeftParen => {
                    self.advance();
                    let ty = self.parenthesised_type()?;
                    self.check_atomic(ty, token.span)?;
                    self.base(&mut words, Base::Type(ty), token.span)?;
                    qualifiers |= Qualifiers::ATOMIC;
                    continue;
                }
                Atomic => qualifiers |= Qualifiers::ATOMIC,
                LeftBracket if words.is_begun() && self.at_attribute() => {
                    let attributes = self.attributes_of_type()?;
                    specifiers.attributes.merge(attributes);
                    continue;
                }
                Attribute | LeftBracket if self.at_attribute() => {
                    self.more_attributes(&mut specifiers.attributes)?;
                    continue;
                }
                Alignas => {
                    self.advance();
                    let align = self.alignas()?;
                    specifiers.attributes.align = specifiers.attributes.align.max(align);
                    let asked = align.map(|align| (align, token.span));
                    specifiers.alignas = specifiers.alignas.max(asked);
                    continue;
                }
                Signed => words.signed = true,
                Unsigned => words.unsigned = true,
                Short => words.short = true,
                Long => words.longs += 1,
                Complex => words.complex = true,
                Void => self.base(&mut words, Base::Void, token.span)?,
                Bool => self.base(&mut words, Base::Bool, token.span)?,
                Char => self.base(&mut words, Base::Char, token.span)?,
                Int => self.base(&mut words, Base::Int, token.span)?,
                Int128 => self.base(&mut words, Base::Int128, token.span)?,
                UInt128 => {
                    words.unsigned = true;
                    self.base(&mut words, Base::Int128, token.span)?;
                }
                Float => self.base(&mut words, Base::Float(FloatKind::Float), token.span)?,
                Double => self.base(&mut words, Base::Float(FloatKind::Double), token.span)?,
                Float16 => self.base(&mut words, Base::Float(FloatKind::Float16), token.span)?,
                Float32 => self.base(&mut words, Base::Float(FloatKind::Float32), token.span)?,
                Float64 => self.base(&mut words, Base::Float(FloatKind::Float64), token.span)?,
                Float128 => self.base(&mut words, Base::Float(FloatKind::Float128), token.span)?,
                Float32x => self.base(&mut words, Base::Float(FloatKind::Float32x), token.span)?,
                Float64x => self.base(&mut words, Base::Float(FloatKind::Float64x), token.span)?,
                Decimal32 | Decimal64 | Decimal128 => {
                    return Err(
                        self.unsupported(token.span, "decimal floating point is not supported")
                    );
                }
                BitInt => {
                    self.advance();
                    self.expect(LeftParen)?;
                    let (width, _) = self.constant_value()?;
                    self.expect(RightParen)?;
                    let width =
                        u32::try_from(width).ok().filter(|width| (1..=65535).contains(width));
                    let Some(width) = width else {
                        return Err(self.constraint(token.span, "`_BitInt` needs a width in bits"));
                    };
                    self.base(&mut words, Base::BitInt(width), token.span)?;
                    continue;
                }
                BuiltinVaList => {
                    let ty = self.program.types.intern(Type::VaList);
                    self.base(&mut words, Base::Type(ty), token.span)?;
                }
                Struct | Union => {
                    let ty = self.record_specifier()?;
                    self.base(&mut words, Base::Type(ty), token.span)?;
                    specifiers.tagged = true;
                    continue;
                }
                Enum => {
                    let ty = self.enum_specifier()?;
                    self.base(&mut words, Base::Type(ty), token.span)?;
                    specifiers.tagged = true;
                    continue;
                }
                Typeof | TypeofUnqual => {
                    let mut ty = self.typeof_specifier()?;
                    if token.kind == TypeofUnqual {
                        ty = self.without_qualifiers(ty);
                    }
                    self.base(&mut words, Base::Type(ty), token.span)?;
                    continue;
                }
                AutoType => specifiers.inferred = true,
                Identifier if words.is_empty() && !specifiers.inferred => {
                    let symbol = token.symbol.expect("an identifier has a name");
                    let Some(Meaning::Typedef(ty)) = self.scopes.lookup(symbol) else { break };
                    words.base = Some(Base::Type(ty));
                }
                _ => break,
            }
            self.advance();
        }
        specifiers.span = self.since(span);
        let infers = words.is_empty() && self.program.dialect >= farrier_lang::Dialect::C23;
        if auto && infers {
            specifiers.inferred = true;
        } else if auto {
            self.storage(&mut specifiers, StorageClass::Auto)?;
        }
        if specifiers.constexpr {
            self.check_constexpr(&specifiers, qualifiers)?;
            qualifiers |= Qualifiers::CONST;
        }
        if !specifiers.inferred {
            specifiers.ty = self.named_type(&words, specifiers.span)?;
        }
        if !specifiers.inferred {
            self.check_qualifiers(specifiers.ty, qualifiers, specifiers.span)?;
        }
        specifiers.ty = self.program.types.qualified(specifiers.ty, qualifiers);
        Ok(specifiers)
    }

    /// Headers say `typedef float _Float32;` for compilers without the type: from there on,
    /// the keyword is a name.
    fn free_keyword(&mut self) {
        use TokenKind::{Float16, Float32, Float32x, Float64, Float64x, Float128, Identifier};
        let Token { kind, symbol, .. } = self.token();
        if matches!(kind, Float16 | Float32 | Float32x | Float64 | Float64x | Float128) {
            let rest = self.tokens[self.at..].iter_mut();
            rest.filter(|token| token.symbol == symbol).for_each(|token| token.kind = Identifier);
        }
    }

    /// What `constexpr` may stand with, C23 6.7.1.
    fn check_constexpr(&self, specifiers: &Specifiers, qualifiers: Qualifiers) -> Parse<()> {
        use StorageClass::{Extern, Typedef};
        let others = Qualifiers::VOLATILE | Qualifiers::ATOMIC | Qualifiers::RESTRICT;
        let refused = matches!(specifiers.storage, Extern | Typedef)
            || specifiers.thread
            || qualifiers.intersects(others);
        if refused {
            return Err(self.constraint(specifiers.span, "this cannot be `constexpr`"));
        }
        Ok(())
    }

    /// The type without qualifiers, those of the elements of an array included.
    fn without_qualifiers(&mut self, ty: TypeId) -> TypeId {
        match *self.program.types.get(ty) {
            Type::Array { element, length } => {
                let element = self.without_qualifiers(element);
                self.program.types.array_of(element, length)
            }
            _ => ty.unqualified(),
        }
    }

    fn storage(&mut self, specifiers: &mut Specifiers, storage: StorageClass) -> Parse<()> {
        if !matches!(specifiers.storage, StorageClass::None) && specifiers.storage != storage {
            return Err(self.constraint(self.span(), "a declaration has only one storage class"));
        }
        specifiers.storage = storage;
        Ok(())
    }

    fn base(&self, words: &mut Words, base: Base, span: Span) -> Parse<()> {
        // `double long` and `long double` are one type, so words are only collected here.
        if words.base.is_some() {
            return Err(self.constraint(span, "two types in one declaration"));
        }
        words.base = Some(base);
        Ok(())
    }

    /// The type that a set of keywords names, C11 6.7.2p2.
    fn named_type(&mut self, words: &Words, span: Span) -> Parse<TypeId> {
        let Words { signed, unsigned, short, longs, complex, base } = *words;
        let sign = signed || unsigned;
        let int = |kind: IntKind| Types::int(if unsigned { kind.to_unsigned() } else { kind });
        let plain = !sign && !short && longs == 0;
        let ty = match base {
            None if words.is_empty() => {
                if self.at_unknown_type() {
                    return Err(self.unknown_type());
                }
                if self.options.permissive {
                    Types::INT
                } else {
                    return Err(Self::with_help(
                        self.constraint(self.span(), "a type is missing here"),
                        "write the type, or allow implicit `int` with --permissive",
                    ));
                }
            }
            None if plain && complex => Types::DOUBLE,
            None | Some(Base::Int) => match (short, longs) {
                (true, 0) => int(IntKind::Short),
                (false, 0) => int(IntKind::Int),
                (false, 1) => int(IntKind::Long),
                (false, 2) => int(IntKind::LongLong),
                _ => return Err(self.not_a_type(span)),
            },
            Some(Base::Char) if !short && longs == 0 => match (signed, unsigned) {
                (true, _) => Types::int(IntKind::SChar),
                (_, true) => Types::int(IntKind::UChar),
                _ => Types::CHAR,
            },
            Some(Base::Int128) if !short && longs == 0 => {
                if self.program.target.int128.is_none() {
                    return Err(self.constraint(
                        span,
                        format!("`__int128` does not exist on {}", self.program.target.name),
                    ));
                }
                int(IntKind::Int128)
            }
            Some(Base::BitInt(width)) if !short && longs == 0 => {
                if width == 1 && !unsigned {
                    return Err(self.constraint(span, "a signed `_BitInt` has at least two bits"));
                }
                self.program.types.intern(Type::BitInt { signed: !unsigned, width })
            }
            Some(Base::Float(FloatKind::Double)) if !sign && !short && longs == 1 => {
                Types::float(FloatKind::LongDouble)
            }
            Some(Base::Float(kind)) if plain => {
                if self.program.target.float_layout(kind).is_none() {
                    return Err(self.constraint(
                        span,
                        format!("this type does not exist on {}", self.program.target.name),
                    ));
                }
                Types::float(kind)
            }
            Some(Base::Void) if plain => Types::VOID,
            Some(Base::Bool) if plain => Types::int(IntKind::Bool),
            Some(Base::Type(ty)) if plain => ty,
            _ => return Err(self.not_a_type(span)),
        };
        if signed && unsigned {
            return Err(self.constraint(span, "a type cannot be both signed and unsigned"));
        }
        if complex {
            let number = match self.program.types.get(ty) {
                Type::Int(kind) => *kind != IntKind::Bool,
                other => matches!(other, Type::Float(_)),
            };
            if !number {
                return Err(self.constraint(span, "this type has no complex form"));
            }
            return Ok(self.program.types.complex_of(ty));
        }
        Ok(ty)
    }

    fn not_a_type(&self, span: Span) -> Box<crate::Diagnostic> {
        let words: Vec<&str> = self.token_text(span).split_whitespace().collect();
        self.constraint(span, format!("`{}` is not a type", words.join(" ")))
    }

    /// `(type)` of `_Atomic(type)`.
    pub(super) fn parenthesised_type(&mut self) -> Parse<TypeId> {
        self.expect(TokenKind::LeftParen)?;
        let ty = self.type_name()?;
        self.expect(TokenKind::RightParen)?;
        Ok(ty)
    }

    /// `_Alignas(type)` or `_Alignas(constant)`, after the keyword.
    pub(super) fn alignas(&mut self) -> Parse<Option<u32>> {
        self.expect(TokenKind::LeftParen)?;
        let span = self.span();
        let align = if self.at_type_name(0) {
            let ty = self.type_name()?;
            match self.layouts.align_of(&self.program, ty) {
                Ok(align) => Some(align),
                Err(_) => return Err(self.constraint(span, "this type has no alignment")),
            }
        } else {
            let (value, _) = self.constant_value()?;
            self.alignment(value, span)?
        };
        self.expect(TokenKind::RightParen)?;
        Ok(align)
    }

    /// `typeof(type)` or `typeof(expression)`.
    fn typeof_specifier(&mut self) -> Parse<TypeId> {
        let token = self.advance();
        self.expect(TokenKind::LeftParen)?;
        let ty = if self.at_type_name(0) {
            self.type_name()?
        } else {
            self.unevaluated += 1;
            let expr = self.expression()?;
            self.unevaluated -= 1;
            self.program.type_of(expr)
        };
        self.expect(TokenKind::RightParen)?;
        if self.program.is_variable_array(ty) {
            return Err(self.unsupported(
                self.since(token.span),
                "`typeof` of a variable-length array is not supported",
            ));
        }
        Ok(ty)
    }
}

impl Words {
    fn is_empty(&self) -> bool {
        !self.signed
            && !self.unsigned
            && !self.short
            && self.longs == 0
            && !self.complex
            && self.base.is_none()
    }
}
