//! Initialisers, C11 6.7.9: designators and left-out braces become complete lists.

use farrier_lang::{
    ArrayLength, Encoding, ExprId, ExprKind, InitItem, InitPlace, IntKind, Qualifiers, RecordKind,
    Span, Type, TypeId, copy,
};

use super::places::{Places, Slot};
use super::{Parse, Parser};
use crate::diagnostic::Reason;
use crate::token::TokenKind;

/// How many nodes may be copied because ranges are cut. A program that is larger than its
/// text by more than this is made to be.
const MAX_COPIES: u32 = 1 << 20;

impl Parser<'_> {
    /// An initialiser for an object of type `ty`: the type, completed if it was an
    /// array of unknown length, and the value or list.
    pub(super) fn initialiser(&mut self, ty: TypeId) -> Parse<(TypeId, ExprId)> {
        let from = self.span();
        if self.has_variable_size(ty) {
            if self.peek() == TokenKind::LeftBrace && self.peek_at(1) == TokenKind::RightBrace {
                return Err(self.unsupported(
                    from,
                    "initialising an object of variable size is not supported",
                ));
            }
            return Err(self.constraint(from, "an object of variable size cannot be initialised"));
        }
        if self.is_aggregate(ty) && self.peek() != TokenKind::LeftBrace {
            return self.whole_initialiser(ty);
        }
        let mut slot = Slot::Empty;
        self.element(ty, &mut slot, None)?;
        let span = self.since(from);
        self.settle(slot, ty, span)
    }

    /// An initialiser without braces for a whole aggregate, C11 6.7.9p13 and p14.
    fn whole_initialiser(&mut self, ty: TypeId) -> Parse<(TypeId, ExprId)> {
        let from = self.span();
        if self.string_fits(ty) {
            let string = self.string_initialiser(ty)?;
            return self.settle(Slot::Value(string), ty, self.since(from));
        }
        let expr = self.assignment_expression()?;
        let span = self.expr_span(expr);
        let value = match self.literal_as_initialiser(expr, ty) {
            Some(list) if !self.is_whole(expr, ty) => list,
            // Clang's vectors get one number in every lane.
            _ if self.is_whole(expr, ty)
                || self.program.is_extended(ty)
                    && self.program.is_arithmetic(self.program.type_of(expr)) =>
            {
                self.build(span, |builder| builder.convert_assigned(expr, ty))?
            }
            _ => {
                let value = self.value(expr)?;
                let error = self.constraint(
                    span,
                    format!(
                        "`{}` cannot be initialised with a value of type `{}`",
                        self.type_text(ty),
                        self.type_text(self.program.type_of(value))
                    ),
                );
                return Err(Self::with_help(error, "put the values of its parts into braces"));
            }
        };
        self.settle(Slot::Value(value), ty, span)
    }

    /// The braces of a compound literal.
    pub(super) fn braced_initialiser(&mut self, ty: TypeId) -> Parse<(TypeId, ExprId)> {
        let from = self.span();
        let mut slot = Slot::Empty;
        self.braced(ty, &mut slot)?;
        let span = self.since(from);
        self.settle(slot, ty, span)
    }

    /// Turns a slot into a node of type `ty`.
    fn settle(&mut self, slot: Slot, ty: TypeId, span: Span) -> Parse<(TypeId, ExprId)> {
        match slot {
            Slot::Value(expr) => {
                let ty = match (
                    self.program.types.get(ty),
                    self.program.resolve(self.program.type_of(expr)),
                ) {
                    // A string completes the array that it initialises.
                    (
                        &Type::Array { element, length: ArrayLength::Unknown },
                        &Type::Array { length, .. },
                    ) => self.program.types.array_of(element, length),
                    _ => ty,
                };
                Ok((ty, expr))
            }
            Slot::Empty => {
                let ty = self.completed(ty, 0);
                let list = self.list_node(ExprKind::InitList(Default::default()), ty, span)?;
                Ok((ty, list))
            }
            Slot::List(places) => {
                let ty = self.completed(ty, places.end());
                let list = places.into_row();
                let mut items = Vec::with_capacity(list.len());
                for (first, last, slot) in list {
                    let (place, child) = match *self.program.resolve(ty) {
                        Type::Record(record) => {
                            let fields = self.program[record].fields.as_deref();
                            let fields = fields.expect("only complete types are initialised");
                            (InitPlace::Field(first as u32), fields[first as usize].ty)
                        }
                        Type::Array { element, .. } | Type::Vector { element, .. } => {
                            (InitPlace::Elements { first, last }, element)
                        }
                        _ => unreachable!("only aggregates have lists"),
                    };
                    let (_, value) = self.settle(slot, child, span)?;
                    items.push(InitItem { place, value });
                }
                let list = self.list_node(ExprKind::InitList(items.into()), ty, span)?;
                Ok((ty, list))
            }
        }
    }

    fn completed(&mut self, ty: TypeId, length: u64) -> TypeId {
        match *self.program.resolve(ty) {
            Type::Array { element, length: ArrayLength::Unknown } => {
                self.program.types.array_of(element, ArrayLength::Fixed(length))
            }
            _ => ty,
        }
    }

    fn is_aggregate(&self, ty: TypeId) -> bool {
        matches!(
            self.program.resolve(ty),
            Type::Array { .. } | Type::Record(_) | Type::Vector { .. }
        )
    }

    /// Initialises one place: braces, a string, a whole aggregate, a scalar, or the
    /// first of the scalars of an aggregate whose braces are left out. `given` is an
    /// expression that was parsed before it was known where it belongs.
    fn element(&mut self, ty: TypeId, slot: &mut Slot, given: Option<ExprId>) -> Parse<()> {
        self.nest()?;
        if given.is_none() && self.peek() == TokenKind::LeftBrace {
            self.braced(ty, slot)?;
            self.unnest();
            return Ok(());
        }
        if given.is_none() && self.string_fits(ty) {
            let string = self.string_initialiser(ty)?;
            self.replace(slot, Slot::Value(string))?;
            self.unnest();
            return Ok(());
        }
        if given.is_none() && self.string_fits_inside(ty) {
            // A string for an array further inside, whose braces are left out.
            if matches!(slot, Slot::Value(_)) {
                self.replace(slot, Slot::Empty)?;
            }
            let next = self.positional(ty, slot, 0, None)?;
            self.elided(ty, slot, next, None)?;
            self.unnest();
            return Ok(());
        }
        let expr = match given {
            Some(expr) => expr,
            None => self.assignment_expression()?,
        };
        if let ExprKind::CompoundLiteral(_) | ExprKind::String(_) = self.program[expr].kind
            && let Type::Array { .. } = self.program.resolve(ty)
            && let Some(list) = self.literal_as_initialiser(expr, ty)
        {
            self.replace(slot, Slot::Value(list))?;
            self.unnest();
            return Ok(());
        }
        if self.is_aggregate(ty) && !self.is_whole(expr, ty) {
            self.elided(ty, slot, 0, Some(expr))?;
        } else {
            let span = self.expr_span(expr);
            let value = self.build(span, |builder| builder.convert_assigned(expr, ty))?;
            self.replace(slot, Slot::Value(value))?;
        }
        self.unnest();
        Ok(())
    }

    /// A list that initialises an object of type `ty`. That of an atomic record is in a compound
    /// literal, because Clang refuses it otherwise.
    fn list_node(&mut self, list: ExprKind, ty: TypeId, span: Span) -> Parse<ExprId> {
        let list = self.node(span, list, ty.unqualified())?;
        let atomic = ty.qualifiers().contains(Qualifiers::ATOMIC);
        if !atomic || !matches!(self.program.resolve(ty), Type::Record(_)) {
            return Ok(list);
        }
        let literal = self.node(span, ExprKind::CompoundLiteral(list), ty.unqualified())?;
        self.build(span, |builder| builder.convert_assigned(literal, ty))
    }

    /// GNU C: an array may be initialised from a compound literal of its type.
    fn literal_as_initialiser(&self, expr: ExprId, ty: TypeId) -> Option<ExprId> {
        match self.program[expr].kind {
            ExprKind::CompoundLiteral(list)
                if farrier_lang::build::compatible(
                    &self.program,
                    self.program.type_of(expr).unqualified(),
                    ty.unqualified(),
                ) =>
            {
                Some(list)
            }
            _ => None,
        }
    }

    /// Whether `expr` initialises an aggregate of type `ty` as a whole.
    fn is_whole(&self, expr: ExprId, ty: TypeId) -> bool {
        let from = self.program.type_of(expr).unqualified();
        match self.program.resolve(ty) {
            Type::Record(record) => {
                matches!(self.program.resolve(from), Type::Record(other) if other == record)
            }
            Type::Vector { .. } => matches!(self.program.resolve(from), Type::Vector { .. }),
            _ => false,
        }
    }

    /// Whether a string literal follows that can initialise an array of type `ty`.
    fn string_fits(&self, ty: TypeId) -> bool {
        let (first, mut ahead) = self.string_ahead();
        if ahead == first {
            return false;
        }
        // `"abc"[0]` and `"abc" + 1` are expressions, not initialisers of arrays.
        if (0..first).any(|depth| self.peek_at(ahead + depth) != TokenKind::RightParen) {
            return false;
        }
        ahead += first;
        if !matches!(
            self.peek_at(ahead),
            TokenKind::Comma | TokenKind::RightBrace | TokenKind::Semicolon | TokenKind::RightParen
        ) {
            return false;
        }
        let Type::Array { element, .. } = self.program.resolve(ty) else { return false };
        let Type::Int(kind) = *self.program.resolve(*element) else { return false };
        let target = self.program.target;
        match self.string_encoding() {
            Encoding::Plain | Encoding::Utf8 => {
                matches!(kind, IntKind::Char | IntKind::SChar | IntKind::UChar)
            }
            Encoding::Utf16 => kind.to_unsigned() == target.char16_type.to_unsigned(),
            Encoding::Utf32 => kind.to_unsigned() == target.char32_type.to_unsigned(),
            Encoding::Wide => kind.to_unsigned() == target.wchar_type.to_unsigned(),
        }
    }

    /// Where a string literal begins that may be in parentheses, and where it ends.
    fn string_ahead(&self) -> (usize, usize) {
        let count = |from: usize, kind| (from..).take_while(|at| self.peek_at(*at) == kind).count();
        let first = count(0, TokenKind::LeftParen);
        (first, first + count(first, TokenKind::String))
    }

    /// Whether a string literal follows that initialises an array which is the first
    /// thing inside `ty`.
    fn string_fits_inside(&self, ty: TypeId) -> bool {
        let mut ty = ty;
        while matches!(self.peek(), TokenKind::String | TokenKind::LeftParen)
            && self.is_aggregate(ty)
        {
            let Some(first) = self.place_from(ty, 0) else { return false };
            ty = self.child_type(ty, first);
            if self.string_fits(ty) {
                return true;
            }
        }
        false
    }

    /// A string that initialises an array: cut to the length of the array, which
    /// need not hold the terminating zero (C11 6.7.9p14).
    fn string_initialiser(&mut self, ty: TypeId) -> Parse<ExprId> {
        let from = self.span();
        let mut parentheses = 0;
        while self.eat(TokenKind::LeftParen) {
            parentheses += 1;
        }
        let mut id = self.string_literal()?;
        for _ in 0..parentheses {
            self.expect(TokenKind::RightParen)?;
        }
        let mut units = self.program[id].units.len() as u64;
        let Type::Array { element, length } = *self.program.resolve(ty) else {
            unreachable!("the caller saw an array")
        };
        if let ArrayLength::Fixed(length) = length
            && units > length
        {
            if !self.options.permissive {
                return Err(Self::with_help(
                    self.constraint(
                        self.since(from),
                        format!("a string of {units} characters does not fit an array of {length}"),
                    ),
                    "shorten the string, or have it cut as compilers do with --permissive",
                ));
            }
            let mut cut = self.program[id].clone();
            cut.units = cut.units.iter().copied().take(length as usize).collect();
            id = self.program.strings.push(cut);
            units = length;
        }
        let array =
            self.program.types.array_of(element.unqualified(), ArrayLength::Fixed(units + 1));
        self.node(self.since(from), ExprKind::String(id), array)
    }

    /// `{ ... }`
    fn braced(&mut self, ty: TypeId, slot: &mut Slot) -> Parse<()> {
        let open = self.span();
        self.expect(TokenKind::LeftBrace)?;
        if !self.is_aggregate(ty) {
            // `int x = { 1 };`
            if self.peek() == TokenKind::RightBrace {
                let zero = self.node(open, ExprKind::Int(0), farrier_lang::Types::INT)?;
                let value = self.build(open, |builder| builder.convert_assigned(zero, ty))?;
                self.replace(slot, Slot::Value(value))?;
            } else {
                self.element(ty, slot, None)?;
            }
            self.eat(TokenKind::Comma);
            if self.peek() != TokenKind::RightBrace {
                return Err(self.constraint(self.span(), "too many initialisers for one number"));
            }
            self.advance();
            return Ok(());
        }
        // `char s[] = { "abc" };`
        if self.string_fits(ty) {
            let string = self.string_initialiser(ty)?;
            self.replace(slot, Slot::Value(string))?;
            self.eat(TokenKind::Comma);
            self.expect(TokenKind::RightBrace)?;
            return Ok(());
        }
        self.replace(slot, Slot::List(Places::default()))?;
        let mut next = 0;
        while self.peek() != TokenKind::RightBrace {
            next = if self.at_designator() {
                self.designated(ty, slot)?
            } else {
                self.positional(ty, slot, next, None)?
            };
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBrace)?;
        Ok(())
    }

    fn at_designator(&self) -> bool {
        match self.peek() {
            TokenKind::Dot => true,
            TokenKind::LeftBracket => true,
            TokenKind::Identifier => self.peek_at(1) == TokenKind::Colon,
            _ => false,
        }
    }

    /// How many places an aggregate has; `None` if there is no limit yet.
    fn places(&self, ty: TypeId) -> Option<u64> {
        match self.program.resolve(ty) {
            Type::Array { length: ArrayLength::Fixed(length), .. } => Some(*length),
            Type::Vector { lanes, .. } => Some(u64::from(*lanes)),
            Type::Record(record) => Some(
                self.program[*record].fields.as_deref().map_or(0, |fields| fields.len() as u64),
            ),
            _ => None,
        }
    }

    /// The place from `index` on that takes an initialiser: unnamed bit-fields take
    /// none, and a union has one place.
    fn place_from(&self, ty: TypeId, index: u64) -> Option<u64> {
        let limit = self.places(ty);
        let Type::Record(record) = self.program.resolve(ty) else {
            return limit.is_none_or(|limit| index < limit).then_some(index);
        };
        let record = &self.program[*record];
        let fields = record.fields.as_deref().unwrap_or_default();
        let takes = |index: &u64| {
            let field = &fields[*index as usize];
            field.name.is_some() || field.bits.is_none()
        };
        let found = (index..fields.len() as u64).find(takes)?;
        let first = (0..fields.len() as u64).find(takes)?;
        (record.kind == RecordKind::Struct || found == first).then_some(found)
    }

    fn child_type(&self, ty: TypeId, index: u64) -> TypeId {
        match self.program.resolve(ty) {
            Type::Array { element, .. } | Type::Vector { element, .. } => *element,
            Type::Record(record) => {
                let fields = self.program[*record].fields.as_deref();
                fields.expect("only complete types are initialised")[index as usize].ty
            }
            _ => unreachable!("only aggregates have children"),
        }
    }

    /// Overrides what a place was initialised with. Whether a compiler still evaluates
    /// that is open (C11 6.7.9p19), so that it must not have a side effect.
    fn replace(&self, slot: &mut Slot, new: Slot) -> Parse<()> {
        if let Some(expr) = self.effect_in(slot) {
            return Err(self.unsupported(
                self.expr_span(expr),
                "an initialiser with a side effect that is overridden may be evaluated or not",
            ));
        }
        *slot = new;
        Ok(())
    }

    fn effect_in(&self, slot: &Slot) -> Option<ExprId> {
        match slot {
            Slot::Empty => None,
            Slot::Value(expr) => self.program.has_effect(*expr).then_some(*expr),
            Slot::List(places) => places.iter().find_map(|(_, _, slot)| self.effect_in(slot)),
        }
    }

    /// The slot of a place, as a value to fill and put back.
    fn take_child(&mut self, ty: TypeId, slot: &mut Slot, index: u64) -> Parse<Slot> {
        if let Type::Record(record) = self.program.resolve(ty)
            && self.program[*record].kind == RecordKind::Union
            && let Slot::List(places) = slot
            && places.containing(index).is_none()
        {
            // Only the member that is initialised last counts.
            self.replace(slot, Slot::List(Places::default()))?;
        }
        if let Slot::Value(_) = slot {
            return Err(self.unsupported(
                self.span(),
                "changing a part of a whole that is already initialised is not supported",
            ));
        }
        let places = Self::places_of(slot);
        if index >= places.end() {
            return Ok(Slot::Empty);
        }
        if places.child(index).is_none() {
            self.cut_range(places, index)?;
            self.cut_range(places, index + 1)?;
        }
        Ok(std::mem::replace(places.child(index).expect("ranges are cut"), Slot::Empty))
    }

    fn put_child(slot: &mut Slot, index: u64, child: Slot) {
        let places = Self::places_of(slot);
        if index >= places.end() {
            places.insert(index, index, child);
        } else {
            *places.child(index).expect("the child was taken from there") = child;
        }
    }

    /// The places of an aggregate, which it has none of yet if it is not a list.
    fn places_of(slot: &mut Slot) -> &mut Places {
        if !matches!(slot, Slot::List(_)) {
            *slot = Slot::List(Places::default());
        }
        let Slot::List(places) = slot else { unreachable!("just made") };
        places
    }

    /// Makes `index` the first of its place: a range around it becomes two.
    fn cut_range(&mut self, places: &mut Places, index: u64) -> Parse<()> {
        let Some((first, last)) = places.containing(index).filter(|(first, _)| *first < index)
        else {
            return Ok(());
        };
        let content = places.remove(first).expect("the place was found");
        let copy = self.copy_slot(&content)?;
        places.insert(first, index - 1, copy);
        places.insert(index, last, content);
        Ok(())
    }

    fn copy_slot(&mut self, slot: &Slot) -> Parse<Slot> {
        Ok(match slot {
            Slot::Empty => Slot::Empty,
            Slot::Value(expr) => Slot::Value(self.copy_constant(*expr)?),
            Slot::List(places) => {
                let mut copy = Places::default();
                for (first, last, slot) in places.iter() {
                    copy.insert(first, last, self.copy_slot(slot)?);
                }
                Slot::List(copy)
            }
        })
    }

    /// A copy of an expression that can be evaluated twice without harm.
    fn copy_constant(&mut self, expr: ExprId) -> Parse<ExprId> {
        let span = self.expr_span(expr);
        if !self.is_repeatable(expr) {
            return Err(self.unsupported(
                span,
                "a range initialised with this expression cannot be changed in part",
            ));
        }
        let before = self.program.exprs.len();
        let copy = copy::expr(&mut self.program, expr);
        let after = self.program.exprs.len();
        self.program.expr_spans.resize(after, span);
        self.copies += (after - before) as u32;
        if self.copies > MAX_COPIES {
            return Err(Self::with_help(
                self.error(
                    span,
                    Reason::Limit,
                    "initialisers of ranges are changed in part too often in this program",
                ),
                "initialise each element once",
            ));
        }
        Ok(copy)
    }

    /// Whether it makes no difference how often an expression is evaluated.
    fn is_repeatable(&self, expr: ExprId) -> bool {
        let kind = &self.program[expr].kind;
        let mut repeatable = matches!(
            kind,
            ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::String(_)
                | ExprKind::Object(_)
                | ExprKind::Function(_)
                | ExprKind::EnumConstant(_)
                | ExprKind::LabelAddress(_)
                | ExprKind::SizeofType(_)
                | ExprKind::Unary(..)
                | ExprKind::Convert(_)
                | ExprKind::Cast(_)
                | ExprKind::Decay(_)
                | ExprKind::AddressOf(_)
                | ExprKind::Member(..)
                | ExprKind::Index(..)
                | ExprKind::Binary(..)
        );
        kind.for_each_operand(|operand| repeatable = repeatable && self.is_repeatable(operand));
        repeatable
    }

    /// The place after `next` that is initialised by what follows; returns the place after it.
    fn positional(
        &mut self,
        ty: TypeId,
        slot: &mut Slot,
        next: u64,
        given: Option<ExprId>,
    ) -> Parse<u64> {
        let Some(index) = self.place_from(ty, next) else {
            let error = self.constraint(
                self.span(),
                format!("too many initialisers for `{}`", self.type_text(ty)),
            );
            return Err(error);
        };
        let child_type = self.child_type(ty, index);
        let mut child = self.take_child(ty, slot, index)?;
        let done = self.element(child_type, &mut child, given);
        Self::put_child(slot, index, child);
        done?;
        Ok(index + 1)
    }

    /// The members of an aggregate whose braces are left out, from place `next` on.
    /// Ends where the aggregate is full, or where the enclosing list must go on.
    fn elided(
        &mut self,
        ty: TypeId,
        slot: &mut Slot,
        next: u64,
        given: Option<ExprId>,
    ) -> Parse<()> {
        if matches!(slot, Slot::Value(_)) {
            self.replace(slot, Slot::Empty)?;
        }
        let mut next = next;
        let mut given = given;
        loop {
            if given.is_none() {
                // Between places: a comma and another initialiser that is ours.
                let more = self.peek() == TokenKind::Comma
                    && self.peek_at(1) != TokenKind::RightBrace
                    && self.place_from(ty, next).is_some()
                    && !self.is_designator_at(1);
                if !more {
                    return Ok(());
                }
                self.advance();
            } else if self.place_from(ty, next).is_none() {
                return Err(self.constraint(
                    self.span(),
                    format!("`{}` has nothing to initialise", self.type_text(ty)),
                ));
            }
            next = self.positional(ty, slot, next, given.take())?;
        }
    }

    fn is_designator_at(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            TokenKind::Dot | TokenKind::LeftBracket => true,
            TokenKind::Identifier => self.peek_at(ahead + 1) == TokenKind::Colon,
            _ => false,
        }
    }

    /// `.member = x`, `[index] = x`, `[first ... last] = x`, `member: x`; returns the
    /// place after the one that was designated at this level.
    fn designated(&mut self, ty: TypeId, slot: &mut Slot) -> Parse<u64> {
        self.nest()?;
        let span = self.span();
        let next = match self.peek() {
            TokenKind::LeftBracket => {
                self.advance();
                let (first, _) = self.constant_value()?;
                let last =
                    if self.eat(TokenKind::Ellipsis) { self.constant_value()?.0 } else { first };
                self.expect(TokenKind::RightBracket)?;
                let (first, last) = match (u64::try_from(first), u64::try_from(last)) {
                    (Ok(first), Ok(last)) if first <= last && last < u64::MAX => (first, last),
                    _ => return Err(self.constraint(span, "this is not a range of elements")),
                };
                let array =
                    matches!(self.program.resolve(ty), Type::Array { .. } | Type::Vector { .. });
                if !array || self.places(ty).is_some_and(|limit| last >= limit) {
                    return Err(self.constraint(
                        self.since(span),
                        format!("`{}` has no such element", self.type_text(ty)),
                    ));
                }
                self.designate(ty, slot, first, last)?;
                last + 1
            }
            _ => {
                self.eat(TokenKind::Dot);
                let (name, name_span) = self.expect_name()?;
                let path = match *self.program.resolve(ty) {
                    Type::Record(record) => self.find_member(record, name),
                    _ => None,
                };
                let Some(path) = path else {
                    return Err(self.constraint(
                        name_span,
                        format!(
                            "`{}` has no member `{}`",
                            self.type_text(ty),
                            self.name_text(name)
                        ),
                    ));
                };
                self.eat_old_colon();
                self.designate_path(ty, slot, &path)?;
                u64::from(path[0]) + 1
            }
        };
        self.unnest();
        Ok(next)
    }

    /// The colon of the old form `member: x` counts as `=`.
    fn eat_old_colon(&mut self) {
        if self.peek() == TokenKind::Colon {
            self.tokens[self.at].kind = TokenKind::Equal;
        }
    }

    fn designate_path(&mut self, ty: TypeId, slot: &mut Slot, path: &[u32]) -> Parse<()> {
        let index = u64::from(path[0]);
        if path.len() == 1 {
            return self.designate(ty, slot, index, index);
        }
        let child_type = self.child_type(ty, index);
        let mut child = self.take_child(ty, slot, index)?;
        self.designate_path(child_type, &mut child, &path[1..])?;
        self.elided(child_type, &mut child, u64::from(path[1]) + 1, None)?;
        Self::put_child(slot, index, child);
        Ok(())
    }

    /// What follows a designator: another designator, or `=` and the initialiser.
    fn designate(&mut self, ty: TypeId, slot: &mut Slot, first: u64, last: u64) -> Parse<()> {
        let child_type = self.child_type(ty, first);
        if first == last {
            let mut child = self.take_child(ty, slot, first)?;
            self.designated_value(child_type, &mut child)?;
            Self::put_child(slot, first, child);
            return Ok(());
        }
        let mut child = Slot::Empty;
        self.designated_value(child_type, &mut child)?;
        // Clear what the range covers, then put it there.
        let places = Self::places_of(slot);
        self.cut_range(places, first)?;
        self.cut_range(places, last + 1)?;
        places.remove_all(first, last);
        places.insert(first, last, child);
        Ok(())
    }

    fn designated_value(&mut self, ty: TypeId, slot: &mut Slot) -> Parse<()> {
        match self.peek() {
            TokenKind::Dot | TokenKind::LeftBracket => {
                if !self.is_aggregate(ty) {
                    return Err(self.constraint(
                        self.span(),
                        format!("`{}` has no parts", self.type_text(ty)),
                    ));
                }
                let next = self.designated(ty, slot)?;
                self.elided(ty, slot, next, None)
            }
            _ => {
                // GNU C allows `[0] 1` without the equals sign.
                self.eat(TokenKind::Equal);
                if matches!(slot, Slot::Value(_)) || self.peek() == TokenKind::LeftBrace {
                    self.replace(slot, Slot::Empty)?;
                }
                self.element(ty, slot, None)
            }
        }
    }
}
