//! Structs, unions and enumerations.

use farrier_lang::attributes::Bearer;
use farrier_lang::layout::NoLayout;
use farrier_lang::{
    ArrayLength, Entity, Enum, EnumConstant, EnumConstantId, EnumId, Field, IntKind, MAX_NESTING,
    Record, RecordId, RecordKind, Span, Stmt, StmtId, Symbol, Type, TypeId, Types,
};

use rustc_hash::FxHashMap;

use super::attributes::Attributes;
use super::specifiers::{Specifiers, StorageClass};
use super::{Parse, Parser};
use crate::scope::{Meaning, Tag};
use crate::token::TokenKind;

/// What records without tag in different units must share to be the same.
pub(super) type TwinKey = (RecordKind, usize, Option<Symbol>);

fn twin_key(record: &Record) -> TwinKey {
    let fields = record.fields.as_deref().unwrap_or_default();
    (record.kind, fields.len(), fields.first().and_then(|field| field.name))
}

impl Parser<'_> {
    /// `struct tag { ... }`, with or without tag or members, C11 6.7.2.1.
    pub(super) fn record_specifier(&mut self) -> Parse<TypeId> {
        let keyword = self.advance();
        let kind = match keyword.kind {
            TokenKind::Struct => RecordKind::Struct,
            _ => RecordKind::Union,
        };
        let mut attributes = self.attributes()?;
        let tag = match self.peek() {
            TokenKind::Identifier => Some(self.expect_name()?),
            _ => None,
        };
        let defines = self.peek() == TokenKind::LeftBrace;
        let place = tag.map_or(keyword.span, |(_, span)| keyword.span.to(span));
        let id = match tag {
            Some((symbol, span)) => self.tagged_record(kind, symbol, span, defines)?,
            None if defines => self.new_record(kind, None),
            None => return Err(self.unexpected("a tag or `{`")),
        };
        let id = if defines { self.record_body(id, tag, &mut attributes, place)? } else { id };
        Ok(self.program.types.intern(Type::Record(id)))
    }

    fn new_record(&mut self, kind: RecordKind, tag: Option<Symbol>) -> RecordId {
        self.program.records.push(Record {
            kind,
            tag,
            fields: None,
            packed: false,
            pack: None,
            align: None,
            may_alias: false,
            attributes: Box::default(),
        })
    }

    /// The record that a tag means here; a new one if the tag is new, C11 6.7.2.3.
    fn tagged_record(
        &mut self,
        kind: RecordKind,
        symbol: Symbol,
        span: Span,
        defines: bool,
    ) -> Parse<RecordId> {
        // `struct s;` alone declares a new tag in this scope, as a definition does.
        let declares = defines || self.peek() == TokenKind::Semicolon;
        let known = if declares { self.scopes.tag_here(symbol) } else { self.scopes.tag(symbol) };
        match known {
            Some(Tag::Record(id)) if self.program[id].kind == kind => return Ok(id),
            Some(_) => {
                return Err(self.other_tag(symbol, span));
            }
            None => {}
        }
        let id = match self.record_of_other_unit(symbol, kind) {
            Some(id) => id,
            None => {
                let name = self.unique_tag(symbol);
                let id = self.new_record(kind, Some(name));
                if self.scopes.is_file() {
                    self.file_tags.insert(symbol, Tag::Record(id));
                }
                id
            }
        };
        self.scopes.declare_tag(symbol, Tag::Record(id), span);
        if !defines {
            self.entities.declare(Entity::Record(id), None);
        }
        Ok(id)
    }

    fn other_tag(&self, symbol: Symbol, span: Span) -> Box<crate::Diagnostic> {
        let text = self.name_text(symbol);
        let error = self.constraint(span, format!("the tag `{text}` already means something else"));
        Self::with_note(error, self.scopes.tag_place(symbol), "it is here")
    }

    /// A type in words, as the user wrote it.
    fn record_words(&self, kind: RecordKind, tag: Option<(Symbol, Span)>) -> String {
        let keyword = match kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        };
        match tag {
            Some((symbol, _)) => format!("`{keyword} {}`", self.name_text(symbol)),
            None => format!("this {keyword}"),
        }
    }

    /// At file scope, the same tag in two units is one type: headers are shared.
    /// A definition that differs is an error, found when it is complete.
    fn record_of_other_unit(&mut self, symbol: Symbol, kind: RecordKind) -> Option<RecordId> {
        if !self.scopes.is_file() {
            return None;
        }
        match self.file_tags.get(&symbol) {
            Some(Tag::Record(id)) if self.program[*id].kind == kind => Some(*id),
            _ => None,
        }
    }

    /// A tag that no other type has.
    fn unique_tag(&mut self, symbol: Symbol) -> Symbol {
        if self.tag_names.insert(symbol) {
            return symbol;
        }
        let text = self.name_text(symbol).to_owned();
        let fresh = self.fresh_name(&text);
        self.tag_names.insert(fresh);
        fresh
    }

    fn record_body(
        &mut self,
        id: RecordId,
        tag: Option<(Symbol, Span)>,
        attributes: &mut Attributes,
        keyword: Span,
    ) -> Parse<RecordId> {
        let redefines = self.program[id].fields.is_some();
        if redefines && self.complete_here.contains(&id) {
            let words = self.record_words(self.program[id].kind, tag);
            let error = self.constraint(keyword, format!("{words} is defined twice"));
            return Err(self.with_entity(error, Entity::Record(id)));
        }
        self.nest()?;
        let position = self.entities.len();
        let limit = self.pack_limit(keyword);
        self.expect(TokenKind::LeftBrace)?;
        let mut fields = Vec::new();
        let mut spans = Vec::new();
        while self.peek() != TokenKind::RightBrace {
            self.member_declaration(&mut fields, &mut spans)?;
        }
        let pack = self.pack_limit(self.span());
        if pack != limit {
            let message = "`#pragma pack` inside a struct or union is not supported";
            return Err(self.unsupported(keyword, message));
        }
        self.expect(TokenKind::RightBrace)?;
        self.more_attributes(attributes)?;
        self.unnest();
        self.check_members(&fields, &spans)?;
        let record = Record {
            kind: self.program[id].kind,
            tag: self.program[id].tag,
            fields: Some(fields.into()),
            packed: attributes.packed,
            pack,
            align: attributes.align,
            may_alias: attributes.may_alias,
            attributes: self.keep_attributes(attributes, Bearer::Type, keyword)?,
        };
        self.complete_here.insert(id);
        if redefines {
            if self.same_record(&self.program[id], &record) {
                return Ok(id);
            }
            let words = self.record_words(record.kind, tag);
            let error = self
                .unsupported(keyword, format!("{words} is defined differently in another file"));
            return Err(Self::with_help(
                self.with_entity(error, Entity::Record(id)),
                "give one of the two types another name",
            ));
        }
        if tag.is_none()
            && let Some(twin) = self.twin(&record)
        {
            return Ok(twin);
        }
        let depth = self.record_depth(&record);
        if depth > MAX_NESTING / 2 {
            return Err(self.too_deep(keyword, MAX_NESTING));
        }
        self.record_depths.insert(id, depth);
        self.defined_at.insert(Entity::Record(id), keyword);
        let local = record.fields.iter().flatten().any(|field| self.is_local_type(field.ty));
        self.program[id] = record;
        match self.layouts.record(&self.program, id) {
            Ok(_) => {}
            Err(NoLayout::Variable) if local => {}
            Err(reason) => {
                let message = format!("this type cannot be laid out: {reason}");
                return Err(self.constraint(keyword, message));
            }
        }
        if local {
            self.check_local_record(id, position, keyword)?;
            self.local_records.insert(id);
        }
        if tag.is_none() {
            self.nameless.push(id);
            if !local {
                self.unit_twins.push(id);
            }
            return Ok(id);
        }
        if self.entities.len() > position && !local {
            self.entities.declare_before(position, Entity::Record(id));
        }
        self.define_record(id);
        Ok(id)
    }

    /// Enters the definition of a record at file scope, or in the block where it must be.
    fn define_record(&mut self, id: RecordId) {
        if self.local_records.contains(&id) {
            self.pending_records.push(id);
        } else {
            self.entities.define(Entity::Record(id));
        }
    }

    /// Whether a type cannot be named outside its block, because it mentions a length
    /// that is known only at run time.
    pub(super) fn is_local_type(&self, ty: TypeId) -> bool {
        match self.program.resolve(ty) {
            Type::Array { length: ArrayLength::Variable(_), .. } => true,
            Type::Array { element: inner, .. } | Type::Pointer(inner) => self.is_local_type(*inner),
            Type::Function(function) => {
                let mut parts = function.parameters.iter().chain([&function.result]);
                parts.any(|part| self.is_local_type(*part))
            }
            Type::Record(id) => self.local_records.contains(id),
            _ => false,
        }
    }

    /// Whether the size of an object of this type is known only when the program runs.
    pub(super) fn has_variable_size(&mut self, ty: TypeId) -> bool {
        self.layouts.size_of(&self.program, ty) == Err(NoLayout::Variable)
    }

    /// What a record defined in a block cannot have: it is not known outside.
    fn check_local_record(&self, id: RecordId, position: usize, keyword: Span) -> Parse<()> {
        if self.function.is_none() {
            return Err(self.constraint(keyword, "a type of variable length is at block scope"));
        }
        if self.entities.mentions(Entity::Record(id), position) {
            return Err(Self::with_help(
                self.unsupported(
                    keyword,
                    "a type of variable length that is named before its definition is not \
                     supported",
                ),
                "leave out the declaration without members",
            ));
        }
        Ok(())
    }

    /// Puts the definitions that wait into the block, before what uses them.
    pub(super) fn flush_records(&mut self, block: Option<&mut Vec<StmtId>>, span: Span) {
        let Some(block) = block else { return };
        for id in std::mem::take(&mut self.pending_records) {
            block.push(self.statement_node(span, Stmt::DefineRecord(id)));
        }
    }

    /// Refuses definitions that have no place in a block of their own.
    pub(super) fn no_pending_records(&self, span: Span) -> Parse<()> {
        if self.pending_records.is_empty() {
            return Ok(());
        }
        Err(Self::with_help(
            self.unsupported(span, "a type of variable length cannot be defined here"),
            "define it in a declaration of its own",
        ))
    }

    /// A record without tag that another unit has defined in the same words: both
    /// units include the same header, and the types are compatible (C11 6.2.7p1).
    fn twin(&self, record: &Record) -> Option<RecordId> {
        let candidates = self.twins.get(&twin_key(record))?;
        candidates.iter().copied().find(|id| self.same_record(&self.program[*id], record))
    }

    /// Makes the records without tag of this unit known to the next.
    pub(super) fn end_unit_records(&mut self) {
        for id in std::mem::take(&mut self.unit_twins) {
            self.twins.entry(twin_key(&self.program[id])).or_default().push(id);
        }
        self.twin_enums.extend(std::mem::take(&mut self.unit_twin_enums));
        self.complete_here.clear();
        self.complete_enums.clear();
    }

    /// Whether two definitions of one tag in two units say the same.
    fn same_record(&self, old: &Record, new: &Record) -> bool {
        old.fields == new.fields
            && (old.packed, old.pack, old.align) == (new.packed, new.pack, new.align)
            && old.may_alias == new.may_alias
    }

    /// Gives a name to the records without tag that are not anonymous members, and
    /// enters their definitions. `base` is a name to make the tag from.
    pub(super) fn name_records(&mut self, base: Option<Symbol>) {
        for id in std::mem::take(&mut self.nameless) {
            if self.program[id].tag.is_some() {
                continue;
            }
            let tag = match base {
                Some(symbol) => self.unique_tag(symbol),
                None => {
                    let fresh = self.fresh_name("anonymous");
                    self.tag_names.insert(fresh);
                    fresh
                }
            };
            self.program[id].tag = Some(tag);
            self.define_record(id);
        }
    }

    /// The limit on the alignment of members at a place.
    fn pack_limit(&self, span: Span) -> Option<u32> {
        let after = self.packs.partition_point(|(offset, _)| *offset <= span.start);
        after.checked_sub(1).and_then(|index| self.packs[index].1)
    }

    fn record_depth(&self, record: &Record) -> u32 {
        let fields = record.fields.as_deref().unwrap_or_default();
        1 + fields.iter().map(|field| self.nesting(field.ty)).max().unwrap_or(0)
    }

    fn nesting(&self, ty: TypeId) -> u32 {
        match self.program.resolve(ty) {
            Type::Array { element, .. } => 1 + self.nesting(*element),
            Type::Record(id) => self.record_depths.get(id).copied().unwrap_or(0),
            _ => 0,
        }
    }

    fn member_declaration(&mut self, fields: &mut Vec<Field>, spans: &mut Vec<Span>) -> Parse<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        if self.peek() == TokenKind::StaticAssert {
            return self.static_assert();
        }
        let waiting = std::mem::take(&mut self.nameless);
        let mut specifiers = self.specifiers()?;
        if specifiers.storage != StorageClass::None || specifiers.thread {
            return Err(self.constraint(specifiers.span, "a storage class has no place here"));
        }
        if specifiers.inline || specifiers.noreturn {
            return Err(
                self.constraint(specifiers.span, "only a function can be `inline` or `_Noreturn`")
            );
        }
        let base = self.attributed_base(specifiers.ty, &mut specifiers.attributes)?;
        if self.peek() == TokenKind::Semicolon {
            // An anonymous member: its type keeps having no tag.
            let anonymous = match self.program.types.get(base) {
                Type::Record(id) => self.program[*id].tag.is_none(),
                _ => false,
            };
            if anonymous {
                spans.push(specifiers.span);
                let attributes = &mut specifiers.attributes;
                fields.push(Field {
                    name: None,
                    ty: base,
                    bits: None,
                    packed: attributes.packed,
                    align: attributes.align,
                    attributes: self.keep_attributes(
                        attributes,
                        Bearer::Member,
                        specifiers.span,
                    )?,
                });
                self.nameless.clear();
            }
            self.name_records(None);
            self.nameless = waiting;
            self.advance();
            return Ok(());
        }
        self.name_records(None);
        self.nameless = waiting;
        loop {
            let span = self.member(fields, base, &specifiers)?;
            spans.push(span);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if self.peek() != TokenKind::RightBrace {
            self.expect(TokenKind::Semicolon)?;
        }
        Ok(())
    }

    /// One member; where it is.
    fn member(
        &mut self,
        fields: &mut Vec<Field>,
        base: TypeId,
        specifiers: &Specifiers,
    ) -> Parse<Span> {
        let from = self.span();
        self.check_bare(specifiers, "a member")?;
        let declarator =
            if self.peek() == TokenKind::Colon { None } else { Some(self.declarator(base)?) };
        let mut attributes = specifiers.attributes.clone();
        let (name, ty) = match declarator {
            Some(declarator) => {
                self.check_brackets(&declarator)?;
                attributes.merge(declarator.attributes);
                (declarator.name, declarator.ty)
            }
            None => (None, base),
        };
        let width = if self.eat(TokenKind::Colon) { Some(self.constant_value()?.0) } else { None };
        self.more_attributes(&mut attributes)?;
        let ty = self.attributed_type(ty, &mut attributes)?;
        let span = self.since(from);
        let bits = match width {
            None => None,
            Some(_) if specifiers.alignas.is_some() => {
                return Err(self.constraint(span, "a bit-field has no `_Alignas`"));
            }
            Some(width) => Some(self.bit_field_width(ty, width, name.is_some(), span)?),
        };
        if name.is_none() && bits.is_none() {
            return Err(self.unexpected("the name of a member"));
        }
        if matches!(self.program.resolve(ty), Type::Function(_) | Type::Void) {
            return Err(self
                .constraint(span, format!("a member cannot have type `{}`", self.type_text(ty))));
        }
        let ty = self.own_lengths(ty, span)?;
        fields.push(Field {
            name: name.map(|(name, _)| name),
            ty,
            bits,
            packed: attributes.packed,
            align: attributes.align,
            attributes: self.keep_typed_attributes(&mut attributes, ty, Bearer::Member, span)?,
        });
        Ok(name.map_or(span, |(_, span)| span))
    }

    fn bit_field_width(&self, ty: TypeId, width: i128, named: bool, span: Span) -> Parse<u32> {
        let limit = match self.program.resolve(ty) {
            Type::Int(kind) => self.program.target.int_bits(*kind),
            Type::Enum(id) => self.program.target.int_bits(self.program[*id].underlying),
            Type::BitInt { width, .. } => *width,
            _ => {
                return Err(self.constraint(
                    span,
                    format!("a bit-field cannot have type `{}`", self.type_text(ty)),
                ));
            }
        };
        match u32::try_from(width) {
            Ok(0) if named => {
                Err(self.constraint(span, "a bit-field with a name has at least one bit"))
            }
            Ok(width) if width <= limit => Ok(width),
            _ => Err(self.constraint(
                span,
                format!("`{}` has {limit} bits, not {width}", self.type_text(ty)),
            )),
        }
    }

    fn check_members(&self, fields: &[Field], spans: &[Span]) -> Parse<()> {
        let mut names = FxHashMap::default();
        let last = fields.len().saturating_sub(1);
        for (index, (field, span)) in fields.iter().zip(spans).enumerate() {
            self.check_name(field, *span, &mut names)?;
            let error = match self.program.resolve(field.ty) {
                Type::Record(id) if self.program[*id].fields.is_none() => format!(
                    "a member cannot have the incomplete type `{}`",
                    self.type_text(field.ty)
                ),
                Type::Array { length: ArrayLength::Unknown, .. } if index < last => {
                    "an array without a length must be the last member".to_owned()
                }
                _ => continue,
            };
            return Err(self.constraint(*span, error));
        }
        Ok(())
    }

    /// Enters the name of a member, or those inside an anonymous one.
    fn check_name(
        &self,
        field: &Field,
        span: Span,
        names: &mut FxHashMap<Symbol, Span>,
    ) -> Parse<()> {
        match (field.name, self.program.resolve(field.ty)) {
            (Some(name), _) => match names.insert(name, span) {
                None => Ok(()),
                Some(before) => {
                    let text = self.name_text(name);
                    let error = self.constraint(span, format!("two members are called `{text}`"));
                    Err(Self::with_note(error, Some(before), "the first is here"))
                }
            },
            (None, Type::Record(id)) if field.bits.is_none() => {
                let mut inner = self.program[*id].fields.iter().flatten();
                inner.try_for_each(|field| self.check_name(field, span, names))
            }
            _ => Ok(()),
        }
    }

    /// The way to a member: through anonymous members to the name.
    pub(super) fn find_member(&self, record: RecordId, name: Symbol) -> Option<Vec<u32>> {
        let fields = self.program[record].fields.as_deref()?;
        if let Some(index) = fields.iter().position(|field| field.name == Some(name)) {
            return Some(vec![index as u32]);
        }
        for (index, field) in fields.iter().enumerate() {
            if field.name.is_none()
                && field.bits.is_none()
                && let Type::Record(inner) = *self.program.resolve(field.ty)
                && let Some(mut path) = self.find_member(inner, name)
            {
                path.insert(0, index as u32);
                return Some(path);
            }
        }
        None
    }

    /// `enum tag { ... }`, C11 6.7.2.2.
    pub(super) fn enum_specifier(&mut self) -> Parse<TypeId> {
        let keyword = self.advance();
        let mut attributes = self.attributes()?;
        let tag = match self.peek() {
            TokenKind::Identifier => Some(self.expect_name()?),
            _ => None,
        };
        let place = tag.map_or(keyword.span, |(_, span)| keyword.span.to(span));
        let mut fixed = None;
        let fixes = self.peek() == TokenKind::Colon && self.at_type_name(1);
        if fixes && self.program.dialect >= farrier_lang::Dialect::C23 {
            self.advance();
            let ty = self.specifiers()?.ty;
            match *self.program.resolve(ty) {
                Type::Int(kind) => fixed = Some(kind),
                _ => {
                    return Err(
                        self.constraint(keyword.span, "an enumeration stands on an integer type")
                    );
                }
            }
        }
        let defines = self.peek() == TokenKind::LeftBrace;
        let id = match tag {
            Some((symbol, span)) => {
                let id = self.tagged_enum(symbol, span, defines, fixed)?;
                if defines {
                    self.enum_body(id, fixed, None, &mut attributes, place)?;
                }
                id
            }
            None if defines => {
                let first = self.tokens.get(self.at + 1).and_then(|token| token.symbol);
                let first = first.filter(|_| self.scopes.is_file());
                let twin = first.and_then(|first| self.twin_enums.get(&first).copied());
                let tag = self.fresh_name("anonymous");
                self.tag_names.insert(tag);
                let id = self.new_enum(tag, fixed);
                let id = self.enum_body(id, fixed, twin, &mut attributes, place)?;
                self.unit_twin_enums.extend(first.map(|first| (first, id)));
                id
            }
            None => return Err(self.unexpected("a tag or `{`")),
        };
        Ok(self.program.types.intern(Type::Enum(id)))
    }

    fn new_enum(&mut self, tag: Symbol, fixed: Option<IntKind>) -> EnumId {
        self.program.enums.push(Enum {
            tag,
            constants: None,
            underlying: fixed.unwrap_or(IntKind::UInt),
            fixed: fixed.is_some(),
            packed: false,
        })
    }

    fn tagged_enum(
        &mut self,
        symbol: Symbol,
        span: Span,
        defines: bool,
        fixed: Option<IntKind>,
    ) -> Parse<EnumId> {
        let known = if defines { self.scopes.tag_here(symbol) } else { self.scopes.tag(symbol) };
        match known {
            Some(Tag::Enum(id)) => return Ok(id),
            Some(Tag::Record(_)) => {
                return Err(self.other_tag(symbol, span));
            }
            None => {}
        }
        let other = self.file_tags.get(&symbol).copied().filter(|_| self.scopes.is_file());
        let id = match other {
            Some(Tag::Enum(id)) => id,
            _ => {
                let name = self.unique_tag(symbol);
                let id = self.new_enum(name, fixed);
                if self.scopes.is_file() {
                    self.file_tags.insert(symbol, Tag::Enum(id));
                }
                id
            }
        };
        self.scopes.declare_tag(symbol, Tag::Enum(id), span);
        if !defines {
            self.entities.declare(Entity::Enum(id), None);
        }
        Ok(id)
    }

    /// The constants of `id`. If it has no tag and `twin`, of another unit, has the same
    /// constants, both are one, and the answer is the twin.
    fn enum_body(
        &mut self,
        id: EnumId,
        fixed: Option<IntKind>,
        twin: Option<EnumId>,
        attributes: &mut Attributes,
        keyword: Span,
    ) -> Parse<EnumId> {
        let before = self.program[id].constants.clone();
        if before.is_some() && !self.complete_enums.insert(id) {
            let error = self.constraint(keyword, "this enumeration is defined twice");
            return Err(self.with_entity(error, Entity::Enum(id)));
        }
        self.complete_enums.insert(id);
        self.expect(TokenKind::LeftBrace)?;
        let mut parsed: Vec<(i128, EnumConstantId)> = Vec::new();
        let mut symbols = Vec::new();
        let mut next = 0_i128;
        while self.peek() != TokenKind::RightBrace {
            let (symbol, span) = self.expect_name()?;
            let attributes = self.attributes()?;
            self.no_meaning(&attributes, span)?;
            if self.eat(TokenKind::Equal) {
                next = self.constant_value()?.0;
            }
            if self.scopes.lookup_here(symbol).is_some() {
                let text = self.name_text(symbol);
                let error = self.constraint(span, format!("`{text}` is already declared here"));
                let before = self.scopes.place(symbol);
                return Err(Self::with_note(error, before, "declared here before"));
            }
            self.check_enumerator(fixed, next, span)?;
            let constant = match &before {
                None => {
                    let name = if self.scopes.is_file() && !self.entities.names.contains(&symbol) {
                        self.entities.names.insert(symbol);
                        symbol
                    } else {
                        self.hoisted_name(symbol)
                    };
                    let ty = self.enum_constant_type(next, fixed);
                    let constant = EnumConstant { name, parent: id, value: next, ty };
                    self.program.enum_constants.push(constant)
                }
                // The same enumeration in a second unit: its constants mean those of the first.
                Some(before) => match before.get(parsed.len()) {
                    Some(constant) if self.program[*constant].value == next => *constant,
                    _ => return Err(self.different_enum(id, keyword)),
                },
            };
            self.scopes.declare(symbol, Meaning::EnumConstant(constant), span);
            symbols.push((symbol, span));
            parsed.push((next, constant));
            next = next.wrapping_add(1);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBrace)?;
        self.more_attributes(attributes)?;
        self.no_meaning(attributes, keyword)?;
        if let Some(before) = before {
            return if before.len() == parsed.len() {
                Ok(id)
            } else {
                Err(self.different_enum(id, keyword))
            };
        }
        if parsed.is_empty() {
            return Err(self.constraint(keyword, "an enumeration has at least one constant"));
        }
        let underlying = match fixed {
            Some(kind) => kind,
            None => self.enum_underlying(&parsed, attributes.packed, keyword)?,
        };
        if let Some(twin) = twin
            && (self.program[twin].underlying, self.program[twin].packed)
                == (underlying, attributes.packed)
            && let Some(constants) = self.program[twin].constants.clone()
            && constants
                .iter()
                .map(|constant| self.program[*constant].value)
                .eq(parsed.iter().map(|(value, _)| *value))
        {
            for ((symbol, span), constant) in symbols.into_iter().zip(constants) {
                self.scopes.declare(symbol, Meaning::EnumConstant(constant), span);
            }
            return Ok(twin);
        }
        let ids: Box<[EnumConstantId]> = parsed.iter().map(|(_, id)| *id).collect();
        let c23 = self.program.dialect >= farrier_lang::Dialect::C23;
        let small = parsed.iter().all(|(value, _)| self.fits(IntKind::Int, *value));
        for constant in &ids {
            let value = self.program[*constant].value;
            self.program[*constant].ty = match fixed {
                Some(kind) => Types::int(kind),
                // C23 6.7.2.2p12: where one needs more than `int`, all have the same type.
                None if self.fits(IntKind::Int, value) && (small || !c23) => Types::INT,
                None => Types::int(underlying),
            };
        }
        let record = &mut self.program[id];
        record.constants = Some(ids);
        record.underlying = underlying;
        record.packed = attributes.packed;
        self.entities.define(Entity::Enum(id));
        self.defined_at.insert(Entity::Enum(id), keyword);
        Ok(id)
    }

    /// A constant fits the type that its enumeration stands on, C23 6.7.2.2p5.
    fn check_enumerator(&self, fixed: Option<IntKind>, value: i128, span: Span) -> Parse<()> {
        match fixed {
            Some(kind) if !self.fits(kind, value) => {
                let ty = self.type_text(Types::int(kind));
                Err(self.constraint(span, format!("`{ty}` cannot hold the value {value}")))
            }
            _ => Ok(()),
        }
    }

    fn different_enum(&self, id: EnumId, keyword: Span) -> Box<crate::Diagnostic> {
        let message = "this enumeration is defined differently in another file";
        Self::with_help(
            self.with_entity(self.unsupported(keyword, message), Entity::Enum(id)),
            "give one of the two types, or its constants, other names",
        )
    }

    fn fits(&self, kind: IntKind, value: i128) -> bool {
        let target = self.program.target;
        let bits = target.int_bits(kind);
        if target.int_signed(kind) {
            bits >= 128 || (-(1_i128 << (bits - 1))..1 << (bits - 1)).contains(&value)
        } else {
            value >= 0 && (bits >= 127 || value >> bits == 0)
        }
    }

    /// The type of a constant while its enumeration is not complete.
    fn enum_constant_type(&self, value: i128, fixed: Option<IntKind>) -> TypeId {
        let kinds = [IntKind::Int, IntKind::UInt, IntKind::Long, IntKind::ULong, IntKind::LongLong];
        let kind = fixed.or_else(|| kinds.into_iter().find(|kind| self.fits(*kind, value)));
        Types::int(kind.unwrap_or(IntKind::ULongLong))
    }

    /// The integer type that GCC gives an enumeration: the first that holds all values,
    /// unsigned where nothing is negative.
    fn enum_underlying(
        &self,
        parsed: &[(i128, EnumConstantId)],
        packed: bool,
        keyword: Span,
    ) -> Parse<IntKind> {
        let negative = parsed.iter().any(|(value, _)| *value < 0);
        let small = [IntKind::SChar, IntKind::Short];
        let large = [IntKind::Int, IntKind::Long, IntKind::LongLong];
        let candidates = small.into_iter().filter(|_| packed).chain(large);
        candidates
            .map(|kind| if negative { kind } else { kind.to_unsigned() })
            .find(|kind| parsed.iter().all(|(value, _)| self.fits(*kind, *value)))
            .ok_or_else(|| self.constraint(keyword, "no integer type holds all these constants"))
    }
}
