//! Strings in arrays, and the functions of the library that work on them.
//!
//! A *buffer* is an array of characters that only its block names, or a pointer into such
//! arrays. All bytes of an array have a value, and the byte at its limit is always zero. A
//! function that writes no further than the limit, and only a zero there, leaves a string,
//! whichever way the program takes. So nothing here needs a guard.

use farrier_lang::{
    ArrayLength, BinaryOp, Entity, ExprId, IntKind, Item, Linkage, ObjectId, Qualifiers, Stmt,
    StmtId, Storage, TypeId, Types, UnaryOp,
};

use super::draft::{Draft, Mode, Name};
use super::production::{Production, Rate, anywhere, draw, form};
use super::values::{Site, Want};
use crate::features::Feature;

/// The arrays of a block, its steps and those of a block in it.
const ARRAYS: (i64, i64) = (2, 4);
const STEPS: (i64, i64) = (4, 9);
const INNER_STEPS: (i64, i64) = (1, 3);

/// How long strings may become, and the bytes after the limit of an array that nothing uses.
const LIMITS: (i64, i64) = (3, 24);
const SLACK: u64 = 3;

/// In percent: arrays that are constants, that are static; texts that are literals, that begin
/// inside their array; lengths that bound a copy; characters that are drawn as numbers; conditions
/// that ask for a string.
const CONSTANTS: u32 = 20;
const STATICS: u32 = 40;
const LITERALS: u32 = 30;
const PARTS: u32 = 30;
const BOUNDED: u32 = 35;
const NUMBERS: u32 = 15;
const STRING_CONDITIONS: u32 = 70;

/// Few letters, so that strings have some in common.
const LETTERS: [char; 4] = ['a', 'b', 'c', 'a'];

/// The most rounds of a loop, the operations of a call apart from its characters, and those that
/// must be left for a block and for a loop.
const MOST_ROUNDS: u64 = 5;
const CALL_COST: u64 = 10;
const BLOCK_OPERATIONS: u64 = 500;
const LOOP_OPERATIONS: u64 = 600;

/// An array of characters, or a pointer to the characters of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    object: ObjectId,
    /// The index of the byte that is always zero: a string ends there at the latest.
    limit: u64,
    /// The arrays that the characters may be in, one bit for each.
    arrays: u32,
    constant: bool,
}

/// What is done with the buffers of a block; blocks inside may nest so deep.
#[rustfmt::skip]
static STEPS_OF_STRINGS: &[Production<u32, Vec<StmtId>>] = &[
    form(Rate::Always(20), anywhere, |draft, _| draft.copy_string()),
    form(Rate::Always(10), anywhere, |draft, _| draft.append_string()),
    form(Rate::Always(14), anywhere, |draft, _| draft.store_character()),
    form(Rate::Always(10), anywhere, |draft, _| draft.end_string()),
    form(Rate::Of(Feature::MemoryFunction), anywhere, |draft, _| draft.move_characters()),
    form(Rate::Always(8), prints, |draft, _| draft.format_string()),
    form(Rate::Always(24), anywhere, |draft, _| one(draft.measured())),
    form(Rate::Always(16), tests, |draft, _| one(draft.compared())),
    form(Rate::Always(8), negates, |draft, _| one(draft.found())),
    form(Rate::Always(8), subtracts, |draft, _| draft.distance()),
    form(Rate::Of(Feature::Pointer), points, |draft, _| draft.point_into()),
    form(Rate::Of(Feature::If), nests, |draft, nesting| draft.branch_on_string(nesting)),
    form(Rate::Of(Feature::For), repeats, |draft, nesting| draft.loop_over_strings(nesting)),
    form(Rate::Always(4), nests, |draft, nesting| Some(draft.other_statement(nesting))),
];

/// The formats of numbers and strings that are printed into a buffer.
const NUMBER_FORMATS: [(&str, IntKind); 5] = [
    ("%d", IntKind::Int),
    ("%4d", IntKind::Int),
    ("%-3d.", IntKind::Int),
    ("%x", IntKind::UInt),
    ("<%o>", IntKind::UInt),
];
const STRING_FORMATS: [&str; 4] = ["%s", "%.2s", "%5s", "a%sb"];

fn one(statement: Option<StmtId>) -> Option<Vec<StmtId>> {
    statement.map(|statement| vec![statement])
}

fn prints(draft: &Draft<'_>, _: u32) -> bool {
    draft.config.target.environment.whole_library
}

fn tests(draft: &Draft<'_>, _: u32) -> bool {
    draft.has(Feature::Unary) || draft.has(Feature::Comparison)
}

fn negates(draft: &Draft<'_>, _: u32) -> bool {
    draft.has(Feature::Unary)
}

fn subtracts(draft: &Draft<'_>, _: u32) -> bool {
    draft.has_all(&[Feature::Pointer, Feature::Ternary, Feature::Arithmetic])
}

fn points(draft: &Draft<'_>, _: u32) -> bool {
    draft.buffers.len() < 8
}

fn nests(draft: &Draft<'_>, nesting: u32) -> bool {
    nesting > 0 && draft.has_room()
}

fn repeats(draft: &Draft<'_>, nesting: u32) -> bool {
    nests(draft, nesting) && draft.can_count() && draft.spare() > LOOP_OPERATIONS
}

/// Whether a block of strings can be written at all.
pub(super) fn has_strings(draft: &Draft<'_>, nesting: u32) -> bool {
    const NEEDS: [Feature; 4] =
        [Feature::Char, Feature::Array, Feature::LocalRecord, Feature::StringLiteral];
    nests(draft, nesting) && draft.has_all(&NEEDS) && draft.spare() > BLOCK_OPERATIONS
}

impl Draft<'_> {
    /// A block with buffers and what is done with them.
    pub(super) fn string_block(&mut self, nesting: u32) -> StmtId {
        let outside = std::mem::take(&mut self.buffers);
        let mark = self.scope.enter();
        let mut statements = Vec::new();
        let mut freed = Vec::new();
        for index in 0..self.choices.range(ARRAYS.0, ARRAYS.1) {
            let allocates = self.has(Feature::Pointer) && self.has(Feature::MemoryFunction);
            if allocates && self.wants(Feature::Heap) {
                let memory = |draft: &mut Self, size| draft.library("malloc", vec![size]);
                statements.extend(self.allocate(memory, 1 << index));
                freed.extend(self.buffers.last().copied());
            } else if allocates && self.wants(Feature::Alloca) {
                // Strict C knows no `alloca`.
                let memory = |draft: &mut Self, size| draft.builtin("__builtin_alloca", vec![size]);
                statements.extend(self.allocate(memory, 1 << index));
            } else {
                statements.extend(self.declare_array(1 << index));
            }
        }
        let steps = self.choices.range(STEPS.0, STEPS.1);
        statements.extend(self.closed(|draft| draft.string_steps(steps, nesting - 1)));
        for index in 0..self.buffers.len() {
            let buffer = self.buffers[index];
            let characters = self.characters(buffer);
            let length = self.library("strlen", vec![characters]);
            self.charge(buffer.limit + CALL_COST);
            statements.push(self.use_number(length));
        }
        for buffer in freed {
            let characters = self.characters(buffer);
            statements.push(self.library_statement("free", vec![characters]));
        }
        self.scope.leave(mark);
        self.buffers = outside;
        self.block_of(statements)
    }

    fn string_steps(&mut self, count: i64, nesting: u32) -> Vec<StmtId> {
        let mut statements = Vec::new();
        for _ in 0..count {
            statements.extend(draw(self, STEPS_OF_STRINGS, nesting).unwrap_or_default());
        }
        statements
    }

    /// The same as a block. Pointers that are declared in it end with it.
    fn block_of_strings(&mut self, nesting: u32) -> StmtId {
        let mark = self.scope.enter();
        let buffers = self.buffers.len();
        let count = self.choices.range(INNER_STEPS.0, INNER_STEPS.1);
        let statements = self.string_steps(count, nesting);
        self.buffers.truncate(buffers);
        self.scope.leave(mark);
        self.block_of(statements)
    }

    /// `char array[size] = "text";`
    fn declare_array(&mut self, arrays: u32) -> Option<StmtId> {
        let limit = self.choices.range(LIMITS.0, LIMITS.1) as u64;
        let size = limit + 1 + self.choices.below(SLACK + 1);
        let constant = self.has(Feature::Const) && self.choices.chance(CONSTANTS);
        let element = self.character_type(constant);
        let ty = self.program.types.array_of(element, ArrayLength::Fixed(size));
        let length = self.choices.below(limit + 1);
        let text = self.letters(length);
        let outside = (constant || self.writes_statics) && self.choices.chance(STATICS);
        let (object, declaration) = if outside {
            let linkage = self.linkage();
            let object = self.object(Name::Global, ty, linkage, Storage::Static);
            self.program.items.push(Item::Define(Entity::Object(object)));
            (object, None)
        } else {
            let object = self.object(Name::Local, ty, Linkage::None, Storage::Automatic);
            (object, Some(self.stmt(Stmt::Declare(object))))
        };
        self.program[object].init = Some(text);
        self.charge(size);
        self.buffers.push(Buffer { object, limit, arrays, constant });
        declaration
    }

    /// `char *pointer = malloc(size); memset(pointer, 0, size); strcpy(pointer, "text");`
    fn allocate(
        &mut self,
        memory: impl FnOnce(&mut Self, ExprId) -> ExprId,
        arrays: u32,
    ) -> Vec<StmtId> {
        let limit = self.choices.range(LIMITS.0, LIMITS.1) as u64;
        let size = self.hidden(i128::from(limit) + 1);
        let memory = memory(self, size);
        let pointer = self.program.types.pointer_to(Types::CHAR);
        let (object, declaration) = self.local_with(pointer, memory);
        let buffer = Buffer { object, limit, arrays, constant: false };
        let (to, zero) = (self.characters(buffer), self.int(0));
        let size = self.int(limit + 1);
        let clear = self.library_statement("memset", vec![to, zero, size]);
        let length = self.choices.below(limit + 1);
        let (to, text) = (self.characters(buffer), self.letters(length));
        let copy = self.library_statement("strcpy", vec![to, text]);
        self.charge(2 * limit + 4 * CALL_COST);
        self.buffers.push(buffer);
        vec![declaration, clear, copy]
    }

    fn character_type(&mut self, constant: bool) -> TypeId {
        let qualifiers = if constant { Qualifiers::CONST } else { Qualifiers::NONE };
        self.program.types.qualified(Types::CHAR, qualifiers)
    }

    /// A literal of so many letters.
    fn letters(&mut self, length: u64) -> ExprId {
        let text: String = (0..length).map(|_| self.choices.pick(&LETTERS)).collect();
        self.program.string(&text)
    }

    /// The address of the first character of a buffer.
    fn characters(&mut self, buffer: Buffer) -> ExprId {
        let place = self.object_expr(buffer.object);
        self.builder().value(place)
    }

    /// The address of another character of a buffer.
    fn characters_from(&mut self, buffer: Buffer, first: u64) -> ExprId {
        let start = self.characters(buffer);
        if first == 0 {
            return start;
        }
        let index = self.hidden(first.into());
        let place = self.element(start, index);
        self.address(place)
    }

    /// A buffer that may be written to.
    fn writable_buffer(&mut self) -> Option<Buffer> {
        let writable: Vec<Buffer> =
            self.buffers.iter().filter(|buffer| !buffer.constant).copied().collect();
        self.choices.pick_any(&writable)
    }

    /// A string that has at most so many characters, in none of these arrays, and how many it
    /// may have.
    fn text(&mut self, most: u64, arrays: u32) -> (ExprId, u64) {
        let fits = |buffer: &&Buffer| buffer.limit <= most && buffer.arrays & arrays == 0;
        let fitting: Vec<Buffer> = self.buffers.iter().filter(fits).copied().collect();
        let literal = self.choices.chance(LITERALS);
        match self.choices.pick_any(&fitting).filter(|_| !literal) {
            Some(buffer) => {
                let part = self.choices.chance(PARTS);
                let first = if part { self.choices.below(buffer.limit + 1) } else { 0 };
                (self.characters_from(buffer, first), buffer.limit - first)
            }
            None => {
                let length = self.choices.below(most.min(LIMITS.0 as u64) + 1);
                (self.letters(length), length)
            }
        }
    }

    /// Any string.
    fn any_text(&mut self) -> ExprId {
        let (text, longest) = self.text(u64::MAX, 0);
        self.charge(longest + CALL_COST);
        text
    }

    /// A number of characters, at most so many.
    fn count_of(&mut self, most: u64) -> ExprId {
        let count = self.choices.below(most + 1);
        self.hidden(count.into())
    }

    /// A character, mostly one that strings have.
    fn character(&mut self, ty: TypeId) -> ExprId {
        if self.choices.chance(NUMBERS) {
            return self.reading(ty);
        }
        let letter = self.choices.pick(&LETTERS);
        self.int(letter.into())
    }

    /// A call whose result is not used.
    fn library_statement(&mut self, name: &'static str, arguments: Vec<ExprId>) -> StmtId {
        let call = self.library(name, arguments);
        self.expr_stmt(call)
    }

    /// `strcpy(buffer, text);`
    fn copy_string(&mut self) -> Option<Vec<StmtId>> {
        let target = self.writable_buffer()?;
        self.charge(target.limit + CALL_COST);
        let to = self.characters(target);
        if self.choices.chance(BOUNDED) {
            let (from, _) = self.text(u64::MAX, target.arrays);
            let count = self.count_of(target.limit);
            return Some(vec![self.library_statement("strncpy", vec![to, from, count])]);
        }
        let (from, _) = self.text(target.limit, target.arrays);
        Some(vec![self.library_statement("strcpy", vec![to, from])])
    }

    /// `buffer[length] = 0; strcat(buffer, text);`
    fn append_string(&mut self) -> Option<Vec<StmtId>> {
        let target = self.writable_buffer()?;
        self.charge(2 * target.limit + CALL_COST);
        let length = self.choices.below(target.limit + 1);
        let ended = self.end_at(target, length);
        let to = self.characters(target);
        let left = target.limit - length;
        let append = if self.choices.chance(BOUNDED) {
            let (from, _) = self.text(u64::MAX, target.arrays);
            let count = self.count_of(left);
            self.library_statement("strncat", vec![to, from, count])
        } else {
            let (from, _) = self.text(left, target.arrays);
            self.library_statement("strcat", vec![to, from])
        };
        Some(vec![ended, append])
    }

    fn end_at(&mut self, target: Buffer, length: u64) -> StmtId {
        let characters = self.characters(target);
        let index = self.hidden(length.into());
        let place = self.element(characters, index);
        let zero = self.int(0);
        self.set(place, zero)
    }

    /// `buffer[index] = character;`
    fn store_character(&mut self) -> Option<Vec<StmtId>> {
        let target = self.writable_buffer().filter(|target| target.limit > 0)?;
        self.begin_expression();
        let index = self.index_below(target.limit, Mode::Reading);
        let characters = self.characters(target);
        let place = self.element(characters, index);
        let value = self.character(Types::CHAR);
        let value = self.adapt(value, Types::CHAR);
        Some(vec![self.set(place, value)])
    }

    /// `buffer[strlen(text)] = 0;`
    fn end_string(&mut self) -> Option<Vec<StmtId>> {
        let target = self.writable_buffer()?;
        let (text, longest) = self.text(target.limit, 0);
        self.charge(longest + CALL_COST);
        let length = self.library("strlen", vec![text]);
        let characters = self.characters(target);
        let place = self.element(characters, length);
        let zero = self.int(0);
        Some(vec![self.set(place, zero)])
    }

    /// `memset`, `memcpy` or `memmove` of some characters before the limit.
    fn move_characters(&mut self) -> Option<Vec<StmtId>> {
        let target = self.writable_buffer()?;
        self.charge(target.limit + CALL_COST);
        let to = self.characters(target);
        let name = self.choices.pick(&["memset", "memcpy", "memmove"]);
        let (what, most) = match name {
            "memset" => (self.character(Types::INT), target.limit),
            _ => {
                let beside = if name == "memcpy" { target.arrays } else { 0 };
                let (from, longest) = self.text(u64::MAX, beside);
                // The zero at the end is copied as well, where there is room for it.
                (from, (longest + 1).min(target.limit))
            }
        };
        let count = self.count_of(most);
        Some(vec![self.library_statement(name, vec![to, what, count])])
    }

    /// `snprintf(buffer, size, format, value);`, whose result is used.
    fn format_string(&mut self) -> Option<Vec<StmtId>> {
        let target = self.writable_buffer()?;
        let to = self.characters(target);
        let size = self.count_of(target.limit + 1);
        // The type of what is printed must stand in the text: no parameter says it.
        let casts = self.has_all(&[Feature::Cast, Feature::Int]);
        let (format, value) = if !casts || self.choices.chance(50) {
            (self.choices.pick(&STRING_FORMATS), self.text(u64::MAX, target.arrays).0)
        } else {
            let (format, kind) = self.choices.pick(&NUMBER_FORMATS);
            self.begin_expression();
            let number = self.value(Want::Integer, Site::new(Mode::Reading, 1));
            (format, self.cast(number, Types::int(kind)))
        };
        let format = self.program.string(format);
        self.charge(target.limit + 4 * CALL_COST);
        let call = self.library("snprintf", vec![to, size, format, value]);
        Some(vec![self.use_number(call)])
    }

    /// The length of a string, or of the part of it before some characters.
    fn measured(&mut self) -> Option<StmtId> {
        let name = self.choices.pick(&["strlen", "strlen", "strspn", "strcspn"]);
        let mut arguments = vec![self.any_text()];
        if name != "strlen" {
            arguments.push(self.any_text());
        }
        let length = self.library(name, arguments);
        Some(self.use_number(length))
    }

    /// What a comparison of two strings says.
    fn comparison_of_strings(&mut self) -> ExprId {
        let mut arguments = vec![self.any_text(), self.any_text()];
        let name = if self.choices.chance(BOUNDED) {
            arguments.push(self.count_of(LIMITS.1 as u64));
            "strncmp"
        } else {
            "strcmp"
        };
        let order = self.library(name, arguments);
        self.sign_test(order)
    }

    fn compared(&mut self) -> Option<StmtId> {
        let test = self.comparison_of_strings();
        Some(self.use_number(test))
    }

    /// Whether a character or a string occurs in a string.
    fn found(&mut self) -> Option<StmtId> {
        let text = self.any_text();
        let name = self.choices.pick(&["strchr", "strrchr", "strstr", "strpbrk"]);
        let wanted = match name {
            "strchr" | "strrchr" => self.character(Types::INT),
            _ => self.any_text(),
        };
        let found = self.library(name, vec![text, wanted]);
        let test = self.unary(UnaryOp::Not, found);
        Some(self.use_number(test))
    }

    /// `char *found = strchr(buffer, character); ... found ? found - buffer : number`
    fn distance(&mut self) -> Option<Vec<StmtId>> {
        let buffer = self.choices.pick_any(&self.buffers)?;
        self.charge(buffer.limit + CALL_COST);
        let text = self.characters(buffer);
        let name = self.choices.pick(&["strchr", "strrchr"]);
        let character = self.character(Types::INT);
        let found = self.library(name, vec![text, character]);
        let pointer = self.program.types.pointer_to(Types::CHAR);
        let (object, declaration) = self.local_with(pointer, found);
        let (condition, end, start) =
            (self.load(object), self.load(object), self.characters(buffer));
        let distance = self.builder().binary(BinaryOp::Sub, end, start).ok()?;
        let otherwise = self.choices.below(buffer.limit + 1);
        let otherwise = self.int(otherwise);
        let value = self.select(condition, distance, otherwise);
        Some(vec![declaration, self.use_number(value)])
    }

    /// `char *pointer = &buffer[index];`, or one of two buffers by a condition.
    fn point_into(&mut self) -> Option<Vec<StmtId>> {
        let one = self.choices.pick_any(&self.buffers)?;
        let other = self.choices.pick_any(&self.buffers)?;
        let chooses = self.has(Feature::PointerSelect) && self.has(Feature::Ternary);
        let (value, limit, arrays, constant) = if chooses && one.object != other.object {
            self.begin_expression();
            let condition = self.value(Want::Number, Site::new(Mode::Reading, 2));
            let (then, otherwise) = (self.characters(one), self.characters(other));
            let value = self.select(condition, then, otherwise);
            let constant = one.constant || other.constant;
            (value, one.limit.min(other.limit), one.arrays | other.arrays, constant)
        } else {
            let first = self.choices.below(one.limit);
            (self.characters_from(one, first), one.limit - first, one.arrays, one.constant)
        };
        let character = self.character_type(constant);
        let pointer = self.program.types.pointer_to(character);
        let (object, declaration) = self.local_with(pointer, value);
        self.buffers.push(Buffer { object, limit, arrays, constant });
        Some(vec![declaration])
    }

    /// Steps under a condition, mostly one about strings.
    fn branch_on_string(&mut self, nesting: u32) -> Option<Vec<StmtId>> {
        let about = self.choices.chance(STRING_CONDITIONS) && tests(self, nesting);
        let condition = if about { self.comparison_of_strings() } else { self.condition() };
        let then = self.block_of_strings(nesting - 1);
        let otherwise = self.choices.chance(50).then(|| self.block_of_strings(nesting - 1));
        Some(vec![self.stmt(Stmt::If { condition, then, otherwise })])
    }

    /// Steps in a loop.
    fn loop_over_strings(&mut self, nesting: u32) -> Option<Vec<StmtId>> {
        let trips = 1 + self.choices.below(MOST_ROUNDS);
        let body = self.rounds(trips, |draft, _| vec![draft.block_of_strings(nesting - 1)]);
        Some(vec![body?])
    }
}
