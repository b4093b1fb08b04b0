//! Placing the members of a struct or union.

use super::{
    BitRange, FieldLayout, Form, Layouts, Mode, NoLayout, RecordLayout, checked, integer_mode,
};
use crate::program::{Field, Program, Record, RecordKind};
use crate::target::BitFieldRule;
use crate::types::{ArrayLength, Type};

/// Positions are counted in bits, which 64-bit sizes in bytes would overflow.
type Bits = u128;

/// A record while its members are placed.
struct Growing {
    /// The first bit that is free; in a union, the end of the largest member.
    end: Bits,
    /// The alignment of the record so far, in bytes.
    align: u32,
    /// Whether attributes of the record or of a member chose that alignment.
    chosen: bool,
    /// GCC counts positions from the last multiple of this many bits.
    granule: Bits,
    /// Whether a member makes the record a block of bytes.
    block: bool,
    /// The sizes in bits and the modes of the members that are not blocks.
    modes: Vec<(Bits, Mode)>,
    /// Under the rule of Microsoft, the bit-field that the next member may share a unit with.
    run: Option<Run>,
    /// Under the same rule, the bits that are free in the unit of the last member.
    left: Bits,
}

/// A bit-field under the rule of Microsoft. GCC: `prev_field`.
#[derive(Clone, Copy)]
struct Run {
    /// The bits of its declared type.
    unit: Bits,
    /// Whether its width is zero.
    is_empty: bool,
}

/// What a member wants.
struct Wish {
    /// The size of the declared type; nothing for a flexible array.
    size: u64,
    /// The alignment of the declared type.
    form: Form,
    /// The alignment of the member, in bits: one for most bit-fields.
    align: Bits,
    /// Whether an attribute chose it.
    chosen: bool,
    /// Whether the member has no alignment of its own.
    packed: bool,
    /// Whether it is a bit-field that GCC could not turn into an ordinary member.
    bit_field: bool,
}

/// Places all members.
pub(super) fn place(
    layouts: &mut Layouts,
    program: &Program,
    record: &Record,
) -> Result<RecordLayout, NoLayout> {
    let fields = record.fields.as_ref().ok_or(NoLayout::Incomplete)?;
    let align = record.align.unwrap_or(1);
    let mut growing = Growing {
        end: 0,
        align,
        chosen: record.align.is_some(),
        granule: Bits::from(align.max(program.target.biggest_align)) * 8,
        block: false,
        modes: Vec::new(),
        run: None,
        left: 0,
    };
    let is_microsoft = program.target.bit_fields == BitFieldRule::Microsoft;
    let mut placed = Vec::with_capacity(fields.len());
    for (index, field) in fields.iter().enumerate() {
        let start = match record.kind {
            RecordKind::Struct => growing.end,
            RecordKind::Union => 0,
        };
        let is_flexible =
            matches!(program.resolve(field.ty), Type::Array { length: ArrayLength::Unknown, .. });
        let wish = wish(layouts, program, record, field, start)?;
        align_record(&mut growing, program, record, field, &wish);
        let start = match record.kind {
            RecordKind::Struct if is_microsoft => {
                find_microsoft_start(&mut growing, record, field, &wish, is_flexible)
            }
            RecordKind::Struct => find_start(&mut growing, program, record, field, &wish),
            RecordKind::Union => 0,
        };
        let width = field.bits.map_or(Bits::from(wish.size) * 8, Bits::from);
        growing.end = growing.end.max(start + width);
        if is_microsoft && index + 1 == fields.len() && field.bits.is_some_and(|bits| bits != 0) {
            // The last unit is in the record to its end; that of a union is empty.
            growing.end += growing.left;
        }
        // A flexible array counts, an empty member does not.
        growing.block |= wish.form.mode == Mode::Block && (wish.size != 0 || is_flexible);
        growing.modes.push((width, wish.form.mode));
        let offset = u64::try_from(start / 8).ok();
        let offset = checked(program, offset)?;
        placed.push(FieldLayout {
            offset,
            align: u32::try_from(wish.align / 8).map_or(1, |align| align.max(1)),
            bits: field.bits.map(|width| BitRange { offset: start as u64, width }),
        });
    }
    let size = growing.end.div_ceil(8).next_multiple_of(growing.align.into());
    let size = checked(program, u64::try_from(size).ok())?;
    let mode = record_mode(&growing, program, record.kind, size);
    let lowered = mode == Mode::Lowered;
    let form = Form { size, align: growing.align, chosen: growing.chosen, mode, lowered };
    let form = settle(program, form);
    let align = match form.chosen {
        true => form.align,
        false => form.field_align(program.target, form.align.min(program.target.biggest_align)),
    };
    Ok(RecordLayout { size, align, fields: placed.into(), form })
}

/// The mode of a whole record. GCC: `compute_record_mode`.
fn record_mode(growing: &Growing, program: &Program, kind: RecordKind, size: u64) -> Mode {
    if growing.block {
        return Mode::Block;
    }
    let whole = growing.modes.iter().find(|(width, _)| *width == Bits::from(size) * 8);
    match whole {
        Some((_, mode)) if kind == RecordKind::Struct && size != 0 => *mode,
        _ => integer_mode(program, size),
    }
}

/// The form of a record or an array where a processor needs aligned numbers: bytes that are
/// aligned to less than the number that could hold them are a block, and GCC forgets that an
/// attribute chose the alignment if it is the one of that number. GCC: `compute_record_mode`,
/// `finalize_type_size`.
pub(super) fn settle(program: &Program, form: Form) -> Form {
    let bits = u32::try_from(form.size).ok().and_then(|size| size.checked_mul(8));
    let number = bits.and_then(|bits| mode_align(program, bits));
    let own = Bits::from(form.align) * 8;
    match number {
        Some(number) if program.target.strict_alignment && form.mode != Mode::Block => {
            let mode = if own < number { Mode::Block } else { form.mode };
            Form { mode, chosen: form.chosen && own != number, ..form }
        }
        _ => form,
    }
}

/// What `field` wants if it were put at the bit `start`. GCC: `layout_decl`.
fn wish(
    layouts: &mut Layouts,
    program: &Program,
    record: &Record,
    field: &Field,
    start: Bits,
) -> Result<Wish, NoLayout> {
    let form = match *program.resolve(field.ty) {
        // A flexible array member.
        Type::Array { length: ArrayLength::Unknown, .. } => {
            let element = layouts.alignment_form(program, field.ty)?;
            Form { size: 0, mode: Mode::Block, ..element }
        }
        _ => layouts.form(program, field.ty)?,
    };
    let packed = field.packed || record.packed;
    let mut wish = Wish {
        size: form.size,
        form,
        align: field.align.map_or(1, |align| Bits::from(align) * 8),
        chosen: field.align.is_some(),
        packed: packed && (field.bits.is_some() || form.align > 1),
        bit_field: field.bits.is_some(),
    };
    // A bit-field of width zero closes a unit even in a packed record, except for Microsoft.
    let closes = field.bits == Some(0) && program.target.bit_fields != BitFieldRule::Microsoft;
    let packed = wish.packed && !closes;
    match field.bits {
        Some(0) => match program.target.bit_fields {
            BitFieldRule::SystemV | BitFieldRule::Aapcs => wish.raise(form),
            BitFieldRule::Dense { empty } => {
                let empty = Bits::from(empty) * 8;
                if wish.align < empty {
                    (wish.align, wish.chosen) = (empty, false);
                }
            }
            BitFieldRule::Microsoft => {}
        },
        // A bit-field that fills an aligned integer is an ordinary member.
        Some(width) => {
            if let Some(mode_align) = mode_align(program, width)
                && (mode_align == 8 || !wish.packed)
                && start.is_multiple_of(mode_align)
            {
                wish.align = wish.align.max(mode_align);
                wish.bit_field = false;
            }
        }
        // What the declaration asks for outranks packing, what its type asks for does not.
        None if packed && field.align.is_some() => {}
        None => wish.raise(form),
    }
    if packed && field.align.is_none() {
        wish.align = wish.align.min(8);
    }
    if !packed && !wish.chosen && wish.align >= 8 {
        let bytes = u32::try_from(wish.align / 8).expect("alignments are 32-bit numbers");
        wish.align = Bits::from(form.field_align(program.target, bytes)) * 8;
    }
    if let Some(pack) = record.pack
        && !closes
    {
        wish.align = wish.align.min(Bits::from(pack) * 8);
    }
    Ok(wish)
}

impl Wish {
    /// At least the alignment of the type.
    fn raise(&mut self, form: Form) {
        let align = Bits::from(form.align) * 8;
        if align > self.align {
            (self.align, self.chosen) = (align, form.chosen);
        }
    }
}

/// The alignment in bits of the integer mode that has exactly this many bits.
fn mode_align(program: &Program, width: u32) -> Option<Bits> {
    let target = program.target;
    if !width.is_multiple_of(8) {
        return None;
    }
    let scalars = [target.short, target.int, target.long, target.long_long];
    if width == 8 {
        return Some(8);
    }
    scalars
        .into_iter()
        .chain(target.int128)
        .find(|scalar| scalar.size * 8 == width)
        .map(|scalar| Bits::from(scalar.preferred) * 8)
}

/// The alignment in bytes that the declared type of a bit-field asks for.
fn unit_align(program: &Program, wish: &Wish) -> u32 {
    let form = wish.form;
    if form.chosen { form.align } else { form.field_align(program.target, form.align) }
}

/// Raises the alignment of the record to suit its new member. GCC:
/// `update_alignment_for_field`.
fn align_record(
    growing: &mut Growing,
    program: &Program,
    record: &Record,
    field: &Field,
    wish: &Wish,
) {
    let own = u32::try_from(wish.align / 8).expect("alignments are 32-bit numbers");
    growing.chosen |= wish.chosen;
    if program.target.bit_fields == BitFieldRule::Microsoft {
        let counts = match field.bits {
            None => true,
            Some(0) => growing.run.is_some_and(|run| !run.is_empty),
            Some(_) => !wish.packed,
        };
        let align = match field.bits {
            None if wish.packed => own,
            _ => own.max(wish.form.align),
        };
        if counts {
            growing.align = growing.align.max(record.pack.map_or(align, |pack| align.min(pack)));
        }
    } else if field.bits.is_none()
        || matches!(program.target.bit_fields, BitFieldRule::Dense { .. })
    {
        growing.align = growing.align.max(own);
    } else if field.name.is_some() || program.target.bit_fields == BitFieldRule::Aapcs {
        let unit = unit_align(program, wish);
        let unit = match record.pack {
            Some(pack) => unit.min(pack),
            None if wish.packed => 1,
            None => unit,
        };
        growing.align = growing.align.max(own).max(unit);
        growing.chosen |= wish.form.chosen;
    }
}

/// The bit at which a member of a struct starts. GCC: `place_field`.
fn find_start(
    growing: &mut Growing,
    program: &Program,
    record: &Record,
    field: &Field,
    wish: &Wish,
) -> Bits {
    let start = growing.end.next_multiple_of(wish.align);
    let unit_matters = !matches!(program.target.bit_fields, BitFieldRule::Dense { .. })
        && wish.bit_field
        && !wish.packed
        && record.pack.is_none()
        && field.bits != Some(0);
    if !unit_matters {
        return start;
    }
    growing.chosen |= wish.form.chosen;
    // A bit-field may not span more units of its type's alignment than its type does.
    let unit = Bits::from(unit_align(program, wish)) * 8;
    let width = Bits::from(field.bits.unwrap_or(0));
    let span = (start % unit + width).div_ceil(unit);
    if span <= Bits::from(wish.size) * 8 / unit {
        return start;
    }
    let base = match start != growing.end && wish.align >= growing.granule {
        true => start,
        false => growing.end - growing.end % growing.granule,
    };
    base + (start - base).next_multiple_of(unit)
}

/// The bit at which a member of a struct starts under the rule of Microsoft. GCC: `place_field`.
fn find_microsoft_start(
    growing: &mut Growing,
    record: &Record,
    field: &Field,
    wish: &Wish,
    is_flexible: bool,
) -> Bits {
    let unit = Bits::from(wish.size) * 8;
    let own = field.bits.map_or(unit, Bits::from);
    let is_empty = field.bits == Some(0);
    let mut start = growing.end;
    // Positions are counted from here.
    let mut base = start - start % growing.granule;
    let mut is_aligned = start.is_multiple_of(wish.align);
    let follows = growing.run.is_some();
    // The field before this one, if it is a bit-field that has a width.
    let mut before = growing.run;
    if let Some(run) = growing.run {
        if field.bits.is_some() && !is_empty && !run.is_empty && run.unit == unit {
            if growing.left < own {
                start += growing.left;
                growing.run = Some(Run { unit, is_empty });
                growing.left = unit.saturating_sub(own);
            } else {
                growing.left -= own;
                is_aligned = true;
            }
        } else {
            match run.is_empty {
                false => start += growing.left,
                true => before = None,
            }
            if field.bits.is_none() || is_empty {
                growing.run = None;
            }
        }
    }
    if !is_aligned {
        start = start.next_multiple_of(wish.align);
    }
    if follows || wish.align >= growing.granule {
        base = start - start % growing.granule;
    }
    let begins = match before {
        _ if field.bits.is_none() => true,
        Some(run) => run.unit != unit,
        None => !is_empty,
    };
    if begins {
        if !is_flexible {
            growing.left = unit.saturating_sub(own);
        }
        let align = if wish.packed { 1 } else { wish.form.align };
        let align = record.pack.map_or(align, |pack| align.min(pack));
        start = base + (start - base).next_multiple_of(Bits::from(align) * 8);
        growing.run = None;
    }
    if growing.run.is_none() && field.bits.is_some() {
        growing.run = Some(Run { unit, is_empty });
    }
    start
}
