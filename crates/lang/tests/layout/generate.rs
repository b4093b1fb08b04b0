//! Random aggregates, as C text and as records of a program.

use std::fmt::Write as _;

use farrier_lang::layout::Layouts;
use farrier_lang::{
    ArrayLength, Dialect, Enum, EnumId, Field, FloatKind, IntKind, Program, Qualifiers, Record,
    RecordId, RecordKind, Target, Type, TypeId, Typedef, Types,
};

use super::compiler::knows;

/// Larger aggregates are not kept, so that those which contain them stay small.
const MAX_SIZE: u64 = 2000;

/// A fixed sequence of random numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in `times`.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// One of 1, 2, 4 up to 2 to the power of `log`.
    fn power(&mut self, log: usize) -> u32 {
        1 << self.below(log + 1)
    }
}

/// A type with the text that names it.
#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) ty: TypeId,
    pub(crate) text: String,
}

/// A member that C can name, perhaps inside anonymous members.
pub(crate) struct Member {
    pub(crate) name: String,
    /// The records and indices that lead to it.
    pub(crate) path: Vec<(RecordId, usize)>,
}

/// A struct or union at file scope.
pub(crate) struct Aggregate {
    pub(crate) id: RecordId,
    pub(crate) named: Named,
    pub(crate) members: Vec<Member>,
    /// Whether it ends in a flexible array, so that it cannot be an element.
    flexible: bool,
}

pub(crate) struct Generator {
    pub(crate) program: Program,
    pub(crate) text: String,
    pub(crate) aggregates: Vec<Aggregate>,
    layouts: Layouts,
    random: Random,
    /// Types without members.
    scalars: Vec<Named>,
    /// Types that bit-fields can have, with their widths.
    bit_types: Vec<(Named, u32)>,
    /// Attributed typedefs.
    typedefs: Vec<Named>,
    names: usize,
    /// Whether attributes ask for other alignments. Clang does not follow GCC in all of them.
    asks: bool,
}

/// One definition in the making.
#[derive(Default)]
struct Draft {
    body: String,
    fields: Vec<Field>,
    members: Vec<Member>,
    flexible: bool,
}

pub(crate) fn int_text(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Bool => "_Bool",
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UInt128 => "unsigned __int128",
    }
}

pub(crate) fn float_text(kind: FloatKind) -> &'static str {
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

impl Generator {
    pub(crate) fn new(target: &'static Target, seed: u64) -> Self {
        let mut generator = Self {
            program: Program::new(target, Dialect::C11),
            text: String::new(),
            aggregates: Vec::new(),
            layouts: Layouts::default(),
            random: Random(seed),
            scalars: Vec::new(),
            bit_types: Vec::new(),
            typedefs: Vec::new(),
            names: 0,
            asks: target.toolchain.compiler != "clang",
        };
        generator.declare_scalars();
        generator.declare_vectors();
        generator.declare_typedefs();
        generator
    }

    fn declare_scalars(&mut self) {
        let target = self.program.target;
        let kinds: Vec<_> =
            IntKind::ALL.into_iter().filter(|kind| target.int_scalar(*kind).is_some()).collect();
        for kind in kinds {
            let named = Named { ty: Types::int(kind), text: int_text(kind).into() };
            self.bit_types.push((named.clone(), target.int_bits(kind)));
            let complex = format!("_Complex {}", named.text);
            if !matches!(kind, IntKind::Bool) && knows(target, &complex) {
                let ty = self.program.types.complex_of(named.ty);
                self.scalars.push(Named { ty, text: complex });
            }
            let ty = self.program.types.qualified(named.ty, Qualifiers::ATOMIC);
            self.scalars.push(Named { ty, text: format!("_Atomic {}", named.text) });
            self.scalars.push(named);
        }
        // gcc gives the unsigned type where no constant is negative, and one that is
        // wide enough; a packed enumeration is as small as it can be.
        let wide = if target.long.size == 8 { IntKind::ULong } else { IntKind::ULongLong };
        for (attribute, constant, underlying, packed) in [
            ("", "0", IntKind::UInt, false),
            ("", "-1", IntKind::Int, false),
            ("", "1ull << 60", wide, false),
            ("__attribute__((packed)) ", "3", IntKind::UChar, true),
            ("__attribute__((packed)) ", "-300", IntKind::Short, true),
        ] {
            let tag = self.name("e");
            writeln!(self.text, "enum {attribute}{tag} {{ constant_of_{tag} = {constant} }};")
                .expect("strings grow");
            let tag_symbol = self.program.names.intern(&tag);
            let id: EnumId = self.program.enums.push(Enum {
                tag: tag_symbol,
                constants: Some([].into()),
                underlying,
                fixed: false,
                packed,
            });
            let ty = self.program.types.intern(Type::Enum(id));
            let named = Named { ty, text: format!("enum {tag}") };
            let bits = if packed { 2 } else { target.int_bits(underlying) };
            self.bit_types.push((named.clone(), bits));
            self.scalars.push(named);
        }
        for kind in FloatKind::ALL {
            if target.float_layout(kind).is_none() || !knows(target, float_text(kind)) {
                continue;
            }
            let named = Named { ty: Types::float(kind), text: float_text(kind).into() };
            let ty = self.program.types.complex_of(named.ty);
            self.scalars.push(Named { ty, text: format!("_Complex {}", named.text) });
            let ty = self.program.types.qualified(named.ty, Qualifiers::ATOMIC);
            self.scalars.push(Named { ty, text: format!("_Atomic {}", named.text) });
            self.scalars.push(named);
        }
        let pointer = self.program.types.pointer_to(Types::VOID);
        self.scalars.push(Named { ty: pointer, text: "void *".into() });
        let list = self.program.types.intern(Type::VaList);
        self.scalars.push(Named { ty: list, text: "__builtin_va_list".into() });
    }

    fn declare_vectors(&mut self) {
        let elements = [
            (Types::CHAR, "char"),
            (Types::INT, "int"),
            (Types::int(IntKind::LongLong), "long long"),
            (Types::float(FloatKind::Float), "float"),
            (Types::DOUBLE, "double"),
        ];
        for (element, text) in elements {
            let size = self.layouts.size_of(&self.program, element).expect("a scalar");
            for bytes in [2, 4, 8, 16, 32, 64_u64] {
                if bytes < size {
                    continue;
                }
                let name = self.name("v");
                writeln!(self.text, "typedef {text} {name} __attribute__((vector_size({bytes})));")
                    .expect("strings grow");
                let ty = self.program.types.vector_of(element, (bytes / size) as u32);
                self.scalars.push(Named { ty, text: name });
            }
        }
    }

    /// Typedefs that raise or lower the alignment of integers.
    fn declare_typedefs(&mut self) {
        let kinds = [IntKind::Char, IntKind::Short, IntKind::Int, IntKind::LongLong];
        let aligns: &[u32] = if self.asks { &[1, 2, 4, 8, 32] } else { &[] };
        for kind in kinds {
            for &align in aligns {
                let base = Named { ty: Types::int(kind), text: int_text(kind).into() };
                let named = self.typedef(&base, align);
                self.bit_types.push((named, self.program.target.int_bits(kind)));
            }
        }
    }

    fn typedef(&mut self, base: &Named, align: u32) -> Named {
        let name = self.name("t");
        writeln!(self.text, "typedef {} {name} __attribute__((aligned({align})));", base.text)
            .expect("strings grow");
        let symbol = self.program.names.intern(&name);
        let id = self.program.typedefs.push(Typedef {
            name: symbol,
            base: base.ty,
            align: Some(align),
            may_alias: false,
            extended: false,
            attributes: [].into(),
        });
        let ty = self.program.types.intern(Type::Typedef(id));
        let named = Named { ty, text: name };
        self.typedefs.push(named.clone());
        named
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// True once in `times`, where attributes may ask for another alignment.
    fn asks_in(&mut self, times: usize) -> bool {
        self.asks && self.random.once_in(times)
    }

    /// Adds one struct or union to the text and to the program.
    pub(crate) fn add_aggregate(&mut self) {
        loop {
            let pack = self.asks_in(5).then(|| self.random.power(4));
            let tag = self.name("s");
            let (id, kind, text, draft) = self.record(Some(&tag), pack, 0);
            let size = self.layouts.record(&self.program, id).map(|layout| layout.size);
            if !size.is_ok_and(|size| size <= MAX_SIZE) {
                continue;
            }
            if let Some(pack) = pack {
                writeln!(self.text, "#pragma pack(push, {pack})").expect("strings grow");
            }
            writeln!(self.text, "{text};").expect("strings grow");
            if pack.is_some() {
                self.text.push_str("#pragma pack(pop)\n");
            }
            let ty = self.program.types.intern(Type::Record(id));
            let named = Named { ty, text: format!("{kind} {tag}") };
            if !draft.flexible && self.asks_in(4) {
                let align = self.random.power(5);
                self.typedef(&named, align);
            }
            self.aggregates.push(Aggregate {
                id,
                named,
                members: draft.members,
                flexible: draft.flexible,
            });
            return;
        }
    }

    /// A record, the keyword and the text of its definition.
    fn record(
        &mut self,
        tag: Option<&str>,
        pack: Option<u32>,
        depth: usize,
    ) -> (RecordId, &'static str, String, Draft) {
        let kind = if self.random.once_in(4) { RecordKind::Union } else { RecordKind::Struct };
        let packed = self.asks_in(5);
        let align = self.asks_in(6).then(|| self.random.power(5));
        let mut draft = Draft::default();
        let count = self.random.below(8);
        for _ in 0..count {
            if self.random.once_in(2) {
                self.add_bit_field(&mut draft);
            } else if depth < 2 && self.random.once_in(6) {
                self.add_anonymous(&mut draft, pack, depth);
            } else {
                self.add_member(&mut draft);
            }
        }
        let has_name = draft.fields.iter().any(|field| field.name.is_some());
        if depth == 0 && kind == RecordKind::Struct && has_name && self.random.once_in(8) {
            self.add_flexible(&mut draft);
        }
        let tag_symbol = tag.map(|tag| self.program.names.intern(tag));
        let id = self.program.records.push(Record {
            kind,
            tag: tag_symbol,
            fields: Some(std::mem::take(&mut draft.fields).into()),
            packed,
            pack,
            align,
            may_alias: false,
            attributes: [].into(),
        });
        for member in &mut draft.members {
            member.path[0].0 = id;
        }
        let keyword = if kind == RecordKind::Union { "union" } else { "struct" };
        let attributes = attributes(packed, align);
        let text = format!("{keyword}{attributes} {} {{ {}}}", tag.unwrap_or(""), draft.body);
        (id, keyword, text, draft)
    }

    /// Adds a member with random attributes. The path of a named one starts here: its
    /// record gets its id later.
    fn push_field(
        &mut self,
        draft: &mut Draft,
        named: &Named,
        name: Option<String>,
        bits: Option<u32>,
        suffix: &str,
    ) {
        let anonymous = name.is_none() && bits.is_none();
        let packed = !anonymous && self.asks_in(8);
        let mut align = self.asks_in(8).then(|| self.random.power(5));
        if anonymous && let Ok(least) = self.layouts.align_of(&self.program, named.ty) {
            align = align.map(|align| align.max(least));
        }
        let width = bits.map(|bits| format!(" : {bits}")).unwrap_or_default();
        let attributes = attributes(packed, align);
        let Named { ty, text } = named;
        match &name {
            // An attribute would belong to the type.
            None if anonymous => match align {
                Some(align) => write!(draft.body, "_Alignas({align}) {text}; "),
                None => write!(draft.body, "{text}; "),
            },
            None => write!(draft.body, "{text}{width}{attributes}; "),
            Some(name) => write!(draft.body, "{text} {name}{suffix}{width}{attributes}; "),
        }
        .expect("strings grow");
        let symbol = name.as_deref().map(|name| self.program.names.intern(name));
        if let Some(name) = name {
            let path = vec![(self.program.records.next_id(), draft.fields.len())];
            draft.members.push(Member { name, path });
        }
        draft.fields.push(Field {
            name: symbol,
            ty: *ty,
            bits,
            packed,
            align,
            attributes: [].into(),
        });
    }

    fn add_bit_field(&mut self, draft: &mut Draft) {
        let (named, widest) = self.random.pick(&self.bit_types).clone();
        let width = match self.random.below(8) {
            0 => 0,
            1 => widest,
            2 => (self.random.power(4) * 8).min(widest),
            _ => 1 + self.random.below(widest as usize) as u32,
        };
        let name = (width != 0 && !self.random.once_in(6)).then(|| self.name("b"));
        self.push_field(draft, &named, name, Some(width), "");
    }

    fn add_member(&mut self, draft: &mut Draft) {
        let (named, flexible) = self.member_type();
        let mut named = named;
        let mut suffix = String::new();
        while !flexible && self.is_element(named.ty) && self.random.once_in(3) {
            let length = self.random.below(4) as u64;
            named.ty = self.program.types.array_of(named.ty, ArrayLength::Fixed(length));
            // The outermost length stands first.
            suffix.insert_str(0, &format!("[{length}]"));
        }
        let name = Some(self.name("m"));
        self.push_field(draft, &named, name, None, &suffix);
    }

    /// A type, and whether it ends in a flexible array.
    fn member_type(&mut self) -> (Named, bool) {
        match self.random.below(6) {
            0 if !self.aggregates.is_empty() => {
                let aggregate = self.random.pick(&self.aggregates);
                (aggregate.named.clone(), aggregate.flexible)
            }
            1 if self.asks => (self.random.pick(&self.typedefs).clone(), false),
            _ => (self.random.pick(&self.scalars).clone(), false),
        }
    }

    /// Whether gcc lets a type be the element of an array: its size is a multiple of its alignment.
    fn is_element(&mut self, ty: TypeId) -> bool {
        let size = self.layouts.size_of(&self.program, ty).expect("complete");
        let align = self.layouts.preferred_align_of(&self.program, ty).expect("complete");
        size.is_multiple_of(align.into())
    }

    fn add_flexible(&mut self, draft: &mut Draft) {
        let mut named = loop {
            let (named, flexible) = self.member_type();
            if !flexible && self.is_element(named.ty) {
                break named;
            }
        };
        named.ty = self.program.types.array_of(named.ty, ArrayLength::Unknown);
        let name = Some(self.name("f"));
        self.push_field(draft, &named, name, None, "[]");
        draft.flexible = true;
    }

    fn add_anonymous(&mut self, draft: &mut Draft, pack: Option<u32>, depth: usize) {
        let (id, _, text, inner) = self.record(None, pack, depth + 1);
        let index = draft.fields.len();
        let ty = self.program.types.intern(Type::Record(id));
        self.push_field(draft, &Named { ty, text }, None, None, "");
        for member in inner.members {
            let mut path = vec![(id, index)];
            path.extend(member.path);
            draft.members.push(Member { name: member.name, path });
        }
    }
}

fn attributes(packed: bool, align: Option<u32>) -> String {
    let align = align.map(|align| format!("aligned({align})"));
    let words: Vec<_> = packed.then(|| "packed".to_string()).into_iter().chain(align).collect();
    if words.is_empty() { String::new() } else { format!(" __attribute__(({}))", words.join(", ")) }
}
