//! Declarations and definitions: file scope, objects, records and enumerations.

use super::Printer;
use super::spellings::Spelled;
use crate::arena::{EnumId, ExprId, FunctionId, ObjectId, RecordId, StringId, TypedefId};
use crate::expr::ExprKind;
use crate::program::{
    Attribute, Entity, Field, Function, Item, Linkage, Object, Program, Record, RecordKind, Storage,
};
use crate::types::{ArrayLength, Type, TypeId, Types};

/// How much of a function is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Prototype,
    Definition,
}

impl Printer<'_> {
    /// Items, one after the other.
    pub(super) fn items(&mut self, items: &[Item]) {
        self.place_local_labels(items);
        self.prepare_cplusplus(items);
        let program = self.program;
        for item in items {
            match *item {
                Item::Declare(Entity::Record(id)) => self.record_head(id),
                Item::Define(Entity::Record(id)) => {
                    self.record_definition(id);
                    continue;
                }
                Item::Declare(Entity::Enum(id)) => self.enum_head(id),
                Item::Define(Entity::Enum(id)) => self.enum_definition(id),
                Item::Declare(Entity::Typedef(id)) | Item::Define(Entity::Typedef(id)) => {
                    self.typedef(id);
                }
                Item::Declare(Entity::Object(id)) => {
                    self.device();
                    self.object_linkage(id, &program[id], "extern ");
                    self.object(id, false);
                }
                Item::Define(Entity::Object(id)) => self.object_definition(id),
                Item::Declare(Entity::Function(id)) | Item::DeclareAs(Entity::Function(id), _)
                    if self.is_cuda() && program[id].body.is_none() =>
                {
                    continue;
                }
                Item::Declare(Entity::Function(id)) => self.prototype(id),
                Item::Define(Entity::Function(id)) => {
                    self.function_definition(id);
                    continue;
                }
                Item::DeclareAs(entity, ty) => self.declare_as(entity, ty),
                Item::Asm(id) => self.asm(id),
            }
            self.text(";\n");
        }
    }

    /// A declaration with a type that is not the final one.
    fn declare_as(&mut self, entity: Entity, ty: TypeId) {
        let program = self.program;
        match entity {
            Entity::Object(id) => {
                let object = Object { ty, init: None, ..program[id].clone() };
                self.device();
                self.object_linkage(id, &object, "extern ");
                self.object_with(&object, false);
            }
            Entity::Function(id) => {
                // The parameters belong to the final type.
                let parameters = Box::default();
                let function = Function { ty, parameters, ..program[id].clone() };
                self.function_head(id, &function, Part::Prototype);
            }
            _ => unreachable!("only objects and functions are declared with a type"),
        }
    }

    /// What says the linkage of an object at file scope; `external` says that it is external.
    /// A global register variable has its storage class there.
    fn object_linkage(&mut self, id: ObjectId, object: &Object, external: &str) {
        self.text(match object.linkage {
            _ if object.storage == Storage::Register => "",
            Linkage::Internal if self.forward.contains(&id) => external,
            Linkage::Internal => "static ",
            _ => external,
        });
    }

    /// The definition of an object at file scope.
    pub(super) fn object_definition(&mut self, id: ObjectId) {
        let program = self.program;
        match program[id].linkage {
            Linkage::None => self.local_object(id),
            _ if self.spelled(Spelled::Object(id)) => {}
            _ => {
                self.device();
                self.object_linkage(id, &program[id], "");
                self.object(id, true);
            }
        }
    }

    /// The declaration of a function.
    pub(super) fn prototype(&mut self, id: FunctionId) {
        let program = self.program;
        if !self.spelled(Spelled::Prototype(id)) {
            self.function_head(id, &program[id], Part::Prototype);
        }
    }

    /// An object after `static`, `extern` or nothing.
    fn object(&mut self, id: ObjectId, with_init: bool) {
        let program = self.program;
        self.object_with(&program[id], with_init);
    }

    fn object_with(&mut self, object: &Object, with_init: bool) {
        // `__thread` is known in every dialect and must follow `static` and `extern`.
        self.text(match object.storage {
            Storage::Static | Storage::Automatic => "",
            Storage::Thread => "__thread ",
            Storage::Register if self.is_cplusplus() => "",
            Storage::Register => "register ",
        });
        if with_init && self.shares_lengths(object) {
            self.inferred(object);
        } else {
            self.base(object.ty);
            self.declarator_with(object, with_init);
        }
    }

    /// Whether the type of an object was inferred from its initialiser and has its lengths:
    /// spelled again, they would be evaluated again.
    fn shares_lengths(&self, object: &Object) -> bool {
        let Some(init) = object.init else { return false };
        // A conversion to the type of the declaration has its lengths, too.
        if matches!(self.program[init].kind, ExprKind::Convert(_)) {
            return false;
        }
        let own = written_lengths(self.program, object.ty);
        !own.is_empty() && own == written_lengths(self.program, self.program.type_of(init))
    }

    /// An object whose type its initialiser says.
    fn inferred(&mut self, object: &Object) {
        let qualifiers = object.ty.qualifiers();
        if !qualifiers.is_empty() {
            self.qualifiers(qualifiers);
            self.byte(b' ');
        }
        self.text(if self.is_cplusplus() { "auto " } else { "__auto_type " });
        if let Some(name) = object.name {
            self.symbol(name);
        }
        self.asm_name(object.asm_name);
        self.attributes_behind(false, object.align, &object.attributes);
        if let Some(init) = object.init {
            self.text(" = ");
            self.object_initialiser(object, init);
        }
    }

    /// An object of block scope.
    pub(super) fn local_object(&mut self, id: ObjectId) {
        let program = self.program;
        if self.spelled(Spelled::Object(id)) {
            return;
        }
        if self.bypassed.contains(&id) {
            return self.separate_initialiser(id);
        }
        if matches!(program[id].storage, Storage::Static | Storage::Thread) {
            self.text("static ");
        }
        self.object(id, true);
    }

    /// The part of a declaration after the specifiers.
    pub(super) fn object_declarator(&mut self, id: ObjectId, with_init: bool) {
        let program = self.program;
        self.declarator_with(&program[id], with_init);
    }

    fn declarator_with(&mut self, object: &Object, with_init: bool) {
        match self.promised_length(object) {
            Some((at, length)) => self.promised_array(object, at, length),
            None => {
                self.declarator(object.ty, object.name);
                self.asm_name(object.asm_name);
                self.attributes_behind(false, object.align, &object.attributes);
            }
        }
        match object.init {
            Some(init) if with_init => {
                self.text(" = ");
                self.object_initialiser(object, init);
            }
            None if with_init && self.needs_initialiser(object) => self.text(" = {}"),
            _ => {}
        }
    }

    fn asm_name(&mut self, name: Option<StringId>) {
        if let Some(name) = name {
            self.text(" __asm__(");
            self.string_literal(name);
            self.byte(b')');
        }
    }

    /// What `static` promises of a parameter: its place among the attributes, and the length.
    fn promised_length<'b>(&self, object: &'b Object) -> Option<(usize, &'b str)> {
        let is_promise = |attribute: &Attribute| self.program.text(attribute.name) == "static";
        let at = object.attributes.iter().position(is_promise)?;
        if self.is_cplusplus() {
            return None;
        }
        Some((at, object.attributes[at].arguments.as_deref()?))
    }

    /// `element name[static length]`, for a parameter that is a pointer.
    fn promised_array(&mut self, object: &Object, at: usize, length: &str) {
        let program = self.program;
        let Type::Pointer(element) = *program.types.get(object.ty) else {
            unreachable!("`static` belongs to a pointer")
        };
        self.before_name(element);
        if let Some(name) = object.name {
            self.name_space();
            self.symbol(name);
        }
        self.text("[static ");
        self.qualifiers(object.ty.qualifiers());
        if !object.ty.qualifiers().is_empty() {
            self.byte(b' ');
        }
        self.text(length);
        self.byte(b']');
        self.after_name(element);
        let mut others = object.attributes.to_vec();
        others.remove(at);
        self.attributes_behind(false, object.align, &others);
    }

    /// ` __attribute__((...))`, if there is anything to put inside.
    fn attributes_behind(&mut self, packed: bool, align: Option<u32>, others: &[Attribute]) {
        if !packed && align.is_none() && others.is_empty() {
            return;
        }
        self.text(" __attribute__((");
        let start = self.out.len();
        if packed {
            self.text("packed");
        }
        if let Some(align) = align {
            self.comma_after(start);
            self.text("aligned(");
            self.number(u64::from(align));
            self.byte(b')');
        }
        self.attribute_list(start, others);
        self.text("))");
    }

    fn comma_after(&mut self, start: usize) {
        if self.out.len() > start {
            self.text(", ");
        }
    }

    /// Attributes in the list that began at `start`.
    fn attribute_list(&mut self, start: usize, attributes: &[Attribute]) {
        for attribute in attributes {
            if self.is_cplusplus() && self.program.text(attribute.name) == "static" {
                continue;
            }
            self.comma_after(start);
            self.symbol(attribute.name);
            if let Some(arguments) = &attribute.arguments {
                self.byte(b'(');
                self.text(arguments);
                self.byte(b')');
            }
        }
    }

    /// All of a function before its body. Attributes stand first, where both a
    /// declaration and a definition may have them.
    fn function_head(&mut self, id: FunctionId, function: &Function, part: Part) {
        let program = self.program;
        let spelling = self.head_spelling(id);
        if let Some(spelling) = spelling {
            self.text(&spelling.before);
        }
        self.device();
        if self.is_cplusplus() && function.body.is_none() {
            self.text("extern \"C\" ");
        }
        if function.specifiers.noreturn || !function.attributes.is_empty() {
            self.text("__attribute__((");
            let start = self.out.len();
            if function.specifiers.noreturn {
                self.text("noreturn");
            }
            self.attribute_list(start, &function.attributes);
            self.text(")) ");
        }
        if function.linkage == Linkage::Internal {
            self.text("static ");
        } else if function.specifiers.inline && function.specifiers.extern_inline {
            // One `extern` among the declarations is enough, so each may have it.
            self.text("extern ");
        }
        if function.specifiers.inline {
            self.text("inline ");
        }
        let Type::Function(ty) = program.types.get(function.ty) else {
            unreachable!("a function has a function type")
        };
        self.base(ty.result);
        self.before_name(ty.result);
        self.name_space();
        match spelling.and_then(|own| own.name.as_ref()) {
            Some(name) => self.text(name),
            None if self.is_cuda() && program.is_main(id) => {
                self.device_name(program.text(function.name));
            }
            None => self.symbol(function.name),
        }
        let named = function.parameters.len() == ty.parameters.len() && !ty.parameters.is_empty();
        if part == Part::Definition && function.old_style {
            self.byte(b'(');
            self.separated(&function.parameters, |printer, &parameter| {
                if let Some(name) = program[parameter].name {
                    printer.symbol(name);
                }
            });
            self.byte(b')');
        } else if named && !function.old_style {
            self.byte(b'(');
            self.parameter_list(id, function);
            self.variadic_end(ty);
            self.byte(b')');
        } else {
            self.parameter_types(ty);
        }
        if let Some(spelling) = spelling {
            self.text(&spelling.after);
        }
        self.after_name(ty.result);
        if part == Part::Prototype {
            self.asm_name(function.asm_name);
        }
    }

    /// The parameters of a function that is defined.
    pub(super) fn parameters(&mut self, id: FunctionId) {
        let program = self.program;
        self.parameter_list(id, &program[id]);
    }

    /// Parameters with their names.
    fn parameter_list(&mut self, id: FunctionId, function: &Function) {
        let program = self.program;
        let spelling = self.head_spelling(id);
        self.separated(function.parameters.iter().enumerate(), |printer, (at, &parameter)| {
            let spelled = spelling.and_then(|own| own.parameters.iter().find(|row| row.0 == at));
            match (spelled, program[parameter].name) {
                (Some((_, text)), Some(name)) => {
                    printer.text(text);
                    printer.name_space();
                    printer.symbol(name);
                }
                _ => printer.object(parameter, false),
            }
        });
        if let Some(value) = spelling.and_then(|own| own.default.as_ref()) {
            self.text(" = ");
            self.text(value);
        }
    }

    pub(super) fn function_definition(&mut self, id: FunctionId) {
        let program = self.program;
        let function = &program[id];
        if self.spelled(Spelled::Function(id)) {
            return;
        }
        if function.asm_name.is_some() && !self.is_declared(id) {
            // A definition cannot carry an assembler name.
            self.function_head(id, function, Part::Prototype);
            self.text(";\n");
        }
        self.function_head(id, function, Part::Definition);
        if function.old_style {
            for &parameter in &function.parameters {
                self.text("\n    ");
                self.object(parameter, false);
                self.byte(b';');
            }
        }
        match function.body {
            Some(body) => {
                self.text("\n");
                self.margin(0);
                // Only a `main` that is called so may end without `return`.
                let is_open = self.is_cuda() && program.is_main(id) && !self.returns(body);
                self.text(if is_open { "{\n" } else { "" });
                self.block(body);
                self.text(if is_open { "\nreturn 0;\n}\n" } else { "\n" });
            }
            None => self.text(";\n"),
        }
    }

    fn is_declared(&self, id: FunctionId) -> bool {
        self.program.items.iter().any(|item| match item {
            Item::Declare(entity) | Item::DeclareAs(entity, _) => *entity == Entity::Function(id),
            _ => false,
        })
    }

    fn typedef(&mut self, id: TypedefId) {
        let program = self.program;
        let typedef = &program[id];
        self.text("typedef ");
        match (typedef.extended, program.resolve(typedef.base)) {
            (true, &Type::Vector { element, lanes }) => {
                self.declare(element, Some(typedef.name));
                self.text(" __attribute__((ext_vector_type(");
                self.number(u64::from(lanes));
                self.text(")))");
            }
            _ => self.declare(typedef.base, Some(typedef.name)),
        }
        self.attributes_behind(false, typedef.align, &[]);
        if typedef.may_alias {
            self.text(" __attribute__((may_alias))");
        }
        self.attributes_behind(false, None, &typedef.attributes);
    }

    fn enum_head(&mut self, id: EnumId) {
        let program = self.program;
        self.text("enum ");
        if program[id].packed {
            self.text("__attribute__((packed)) ");
        }
        self.symbol(program[id].tag);
        // In C++ the type of an enumeration depends on its values, unless it is named.
        if program[id].fixed || self.is_cplusplus() {
            self.text(" : ");
            self.declare(Types::int(program[id].underlying), None);
        }
    }

    fn enum_definition(&mut self, id: EnumId) {
        let program = self.program;
        self.enum_head(id);
        let Some(constants) = &program[id].constants else { return };
        self.text(" {");
        for (index, &constant) in constants.iter().enumerate() {
            self.text(if index > 0 { ",\n    " } else { "\n    " });
            self.symbol(program[constant].name);
            self.text(" = ");
            self.wide_number(program[constant].value);
        }
        self.text("\n}");
    }

    fn record_keyword(&mut self, record: &Record, keyword: Option<&str>) {
        self.text(keyword.unwrap_or(match record.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        }));
        if let Some(tag) = record.tag {
            self.byte(b' ');
            self.symbol(tag);
        }
    }

    fn record_head(&mut self, id: RecordId) {
        let program = self.program;
        self.record_keyword(&program[id], None);
    }

    /// A definition on lines of its own, after a margin.
    pub(super) fn record_definition(&mut self, id: RecordId) {
        let program = self.program;
        let outer = self.begin_pack(program[id].pack);
        if let Some(spelling) = self.record_spelling(id) {
            self.text(&spelling.before);
        }
        self.record_body(Some(id), &program[id]);
        self.text(";\n");
        self.end_pack(outer);
    }

    /// Sets `#pragma pack` for one definition; the answer is what was in force.
    fn begin_pack(&mut self, pack: Option<u32>) -> Option<u32> {
        let outer = self.pack;
        if pack != outer {
            match pack {
                Some(bytes) => {
                    self.text("#pragma pack(push, ");
                    self.number(u64::from(bytes));
                    self.text(")\n");
                }
                None => self.text("#pragma pack(push)\n#pragma pack()\n"),
            }
            self.pack = pack;
        }
        outer
    }

    fn end_pack(&mut self, outer: Option<u32>) {
        if self.pack != outer {
            self.text("#pragma pack(pop)\n");
            self.pack = outer;
        }
    }

    fn record_body(&mut self, id: Option<RecordId>, record: &Record) {
        let spelling = id.and_then(|id| self.record_spelling(id));
        self.record_keyword(record, spelling.and_then(|own| own.keyword));
        let Some(fields) = &record.fields else { return };
        self.text(spelling.map_or("", |own| &own.base));
        self.text(" {\n");
        self.text(spelling.map_or("", |own| &own.first));
        self.indent += 1;
        for (at, field) in fields.iter().enumerate() {
            if spelling.is_none_or(|own| !own.elsewhere.contains(&at)) {
                self.field(field);
            }
        }
        self.indent -= 1;
        self.text(spelling.map_or("", |own| &own.last));
        self.margin(0);
        self.byte(b'}');
        // After the members, where clang too sees them when it reads the attribute.
        self.attributes_behind(record.packed, record.align, &record.attributes);
        if record.may_alias {
            self.text(" __attribute__((may_alias))");
        }
    }

    fn field(&mut self, field: &Field) {
        let program = self.program;
        let anonymous = match program.types.get(field.ty) {
            Type::Record(id) if field.name.is_none() => Some(&program[*id]),
            _ => None,
        };
        let outer = anonymous.map(|record| self.begin_pack(record.pack));
        self.margin(0);
        match anonymous {
            Some(record) => {
                // After the members, an attribute would belong to the record.
                let start = self.out.len();
                self.attributes_behind(field.packed, field.align, &field.attributes);
                if self.out.len() > start {
                    self.byte(b' ');
                }
                if !field.ty.qualifiers().is_empty() {
                    self.qualifiers(field.ty.qualifiers());
                    self.byte(b' ');
                }
                self.record_body(None, record);
            }
            None => self.member_declaration(field),
        }
        if let Some(bits) = field.bits {
            self.text(" : ");
            self.number(u64::from(bits));
        }
        if anonymous.is_none() {
            self.attributes_behind(field.packed, field.align, &field.attributes);
        }
        self.text(";\n");
        if let Some(outer) = outer {
            self.end_pack(outer);
        }
    }
}

/// The expressions that are the lengths in a type, those of a name for a type left out.
fn written_lengths(program: &Program, mut ty: TypeId) -> Vec<ExprId> {
    let mut lengths = Vec::new();
    loop {
        ty = match *program.types.get(ty) {
            Type::Pointer(target) => target,
            Type::Array { element, length } => {
                if let ArrayLength::Variable(length) = length {
                    lengths.push(length);
                }
                element
            }
            _ => return lengths,
        };
    }
}
