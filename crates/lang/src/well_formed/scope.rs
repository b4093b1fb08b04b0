//! The second phase: items, names, statements and entities, in the order of the text.

use std::mem::take;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{FormRule, Node, Violation};
use crate::arena::{AsmId, ExprId, FunctionId, LabelId, ObjectId, RecordId, StmtId, Symbol};
use crate::describe::{entity_in_words, type_in_words};
use crate::hint::Hint;
use crate::program::{Entity, Field, Item, Linkage, Program, RecordKind, Storage};
use crate::scope::all_labels;
use crate::stmt::Stmt;
use crate::types::{ArrayLength, Type, TypeId};

pub(super) struct Checker<'a> {
    pub(super) program: &'a Program,
    violations: Vec<Violation>,
    /// The entity being checked, for messages.
    inside: Option<Entity>,
    declared: FxHashSet<Entity>,
    defined: FxHashSet<Entity>,
    /// Types whose parts are known to be declared.
    types: FxHashSet<TypeId>,
    /// The ordinary names that are visible, and in which order they became so.
    visible: FxHashSet<Symbol>,
    names: Vec<Symbol>,
    tags: FxHashMap<Symbol, Entity>,
    /// The types of anonymous members, each of which is the type of one member only.
    anonymous: FxHashSet<RecordId>,
    /// Set once a record may contain itself, so that nothing walks over members.
    pub(super) endless: bool,
    /// Entities whose last declaration did not have their final type.
    growing: FxHashSet<Entity>,
    /// The local objects and functions that are visible, and in which order they became so.
    locals: Vec<Entity>,
    visible_locals: FxHashSet<ObjectId>,
    /// Every object that has had a declaration.
    declared_objects: FxHashSet<ObjectId>,
    pub(super) function: Option<FunctionId>,
    labels: FxHashSet<LabelId>,
    /// How many loops, and loops or switches, surround the statement.
    loops: u32,
    breakables: u32,
    /// Whether each surrounding switch has had its `default`.
    switches: Vec<bool>,
}

/// How many names and objects were visible when a scope was entered.
#[derive(Clone, Copy)]
struct Scope {
    names: usize,
    locals: usize,
}

pub(super) fn check(program: &Program) -> Vec<Violation> {
    let mut checker = Checker {
        program,
        violations: Vec::new(),
        inside: None,
        declared: FxHashSet::default(),
        defined: FxHashSet::default(),
        types: FxHashSet::default(),
        visible: FxHashSet::default(),
        names: Vec::new(),
        tags: FxHashMap::default(),
        anonymous: FxHashSet::default(),
        endless: false,
        growing: FxHashSet::default(),
        locals: Vec::new(),
        visible_locals: FxHashSet::default(),
        declared_objects: FxHashSet::default(),
        function: None,
        labels: FxHashSet::default(),
        loops: 0,
        breakables: 0,
        switches: Vec::new(),
    };
    for (index, item) in program.items.iter().enumerate() {
        checker.item(index, *item);
    }
    checker.check_definitions();
    checker.violations
}

impl Checker<'_> {
    pub(super) fn violate(&mut self, rule: FormRule, node: Node, text: impl AsRef<str>) {
        let mut place = match self.inside {
            Some(entity) => format!("in {}: ", entity_in_words(self.program, entity)),
            None => String::new(),
        };
        place.push_str(text.as_ref());
        self.violations.push(Violation { rule, node, text: place });
    }

    /// Reports `text` unless `holds`.
    pub(super) fn require(&mut self, holds: bool, rule: FormRule, node: Node, text: &str) {
        if !holds {
            self.violate(rule, node, text);
        }
    }

    fn item(&mut self, index: usize, item: Item) {
        self.inside = None;
        let (entity, defines) = match item {
            Item::Asm(asm) => return self.asm(asm),
            Item::Declare(entity) | Item::DeclareAs(entity, _) => (entity, false),
            Item::Define(entity) => (entity, true),
        };
        let node = Node::Item(index);
        let first = self.declared.insert(entity);
        if let Item::DeclareAs(_, ty) = item {
            // Another declaration is to come, which completes the type.
            self.growing.insert(entity);
            if first {
                self.introduce(entity);
            }
            return self.use_type(node, ty);
        }
        let completes = self.growing.remove(&entity);
        if defines {
            let once = self.defined.insert(entity);
            self.require(once, FormRule::Items, node, "an entity is defined twice");
        } else {
            let text = "a declaration of what is already declared";
            self.require(first || completes, FormRule::Items, node, text);
        }
        self.inside = Some(entity);
        if first {
            self.introduce(entity);
        }
        match entity {
            Entity::Record(id) if defines => self.record(id),
            Entity::Enum(id) if defines => {
                let constants = self.program[id].constants.as_deref();
                self.require(constants.is_some(), FormRule::Items, node, "it has no constants");
                for &constant in constants.unwrap_or_default() {
                    self.declare_name(node, self.program[constant].name);
                    self.require(
                        self.program[constant].parent == id,
                        FormRule::Member,
                        Node::Entity(entity),
                        "a constant belongs to another enumeration",
                    );
                }
            }
            Entity::Record(_) | Entity::Enum(_) => {}
            Entity::Typedef(id) => {
                let typedef = &self.program[id];
                let vector = matches!(self.program.resolve(typedef.base), Type::Vector { .. });
                let text = "clang's rules for vectors on another type";
                self.require(
                    !typedef.extended || vector,
                    FormRule::Type,
                    Node::Entity(entity),
                    text,
                );
                self.use_type(Node::Entity(entity), typedef.base);
            }
            Entity::Object(id) => self.file_object(id, defines),
            Entity::Function(id) => self.function(id, defines),
        }
    }

    /// Makes the name of an entity visible at file scope.
    fn introduce(&mut self, entity: Entity) {
        let program = self.program;
        let node = Node::Entity(entity);
        match entity {
            Entity::Record(id) => {
                if let Some(tag) = program[id].tag {
                    self.declare_tag(tag, entity);
                } else {
                    self.violate(FormRule::Items, node, "an anonymous record cannot be an item");
                }
            }
            Entity::Enum(id) => self.declare_tag(program[id].tag, entity),
            Entity::Typedef(id) => self.declare_name(node, program[id].name),
            Entity::Object(id) => match program[id].name {
                Some(name) => self.declare_name(node, name),
                None => self.violate(FormRule::Names, node, "an object at file scope has no name"),
            },
            Entity::Function(id) => self.declare_name(node, program[id].name),
        }
    }

    fn declare_tag(&mut self, tag: Symbol, entity: Entity) {
        let holder = *self.tags.entry(tag).or_insert(entity);
        self.require(holder == entity, FormRule::Names, Node::Entity(entity), "this tag is taken");
    }

    fn declare_name(&mut self, node: Node, name: Symbol) {
        if self.visible.insert(name) {
            self.names.push(name);
        } else {
            let text = format!("the name {} is already visible", self.program.text(name));
            self.violate(FormRule::Names, node, text);
        }
    }

    fn enter(&self) -> Scope {
        Scope { names: self.names.len(), locals: self.locals.len() }
    }

    fn leave(&mut self, scope: Scope) {
        for name in self.names.drain(scope.names..) {
            self.visible.remove(&name);
        }
        for entity in self.locals.drain(scope.locals..) {
            match entity {
                Entity::Object(object) => _ = self.visible_locals.remove(&object),
                _ => _ = self.declared.remove(&entity),
            }
        }
    }

    /// What has a body, an initialiser or members also has a `Define`.
    fn check_definitions(&mut self) {
        self.inside = None;
        let program = self.program;
        for item in &program.items {
            let Item::Declare(entity) = *item else { continue };
            let content = match entity {
                Entity::Record(id) => program[id].fields.is_some(),
                Entity::Enum(id) => program[id].constants.is_some(),
                Entity::Typedef(_) => true,
                Entity::Object(id) => program[id].init.is_some(),
                Entity::Function(id) => program[id].body.is_some(),
            };
            if content && !self.defined.contains(&entity) {
                let text = format!("{} is never defined", entity_in_words(program, entity));
                self.violate(FormRule::Items, Node::Entity(entity), text);
            }
        }
    }

    /// Checks that everything a type names is declared.
    pub(super) fn use_type(&mut self, node: Node, ty: TypeId) {
        let ty = ty.unqualified();
        if !self.types.insert(ty) {
            return;
        }
        match self.program.types.get(ty) {
            Type::Void
            | Type::Int(_)
            | Type::BitInt { .. }
            | Type::Float(_)
            | Type::VaList
            | Type::NullPointer => {}
            Type::Complex(inner) | Type::Pointer(inner) | Type::Vector { element: inner, .. } => {
                self.use_type(node, *inner);
            }
            Type::Array { element, length } => {
                self.use_type(node, *element);
                self.require(
                    !matches!(self.program.resolve(*element), Type::Void | Type::Function(_)),
                    FormRule::Type,
                    Node::Type(ty),
                    "an array of void or of functions",
                );
                if let ArrayLength::Variable(length) = length {
                    self.value(*length);
                }
            }
            Type::Function(function) => {
                self.use_type(node, function.result);
                self.require(
                    !matches!(
                        self.program.resolve(function.result),
                        Type::Array { .. } | Type::Function(_)
                    ),
                    FormRule::Type,
                    Node::Type(ty),
                    "a function returns an array or a function",
                );
                for &parameter in &function.parameters {
                    self.use_parameter_type(node, parameter);
                }
            }
            Type::Record(id) if self.program[*id].tag.is_none() => {}
            Type::Record(id) => self.use_entity(node, Entity::Record(*id)),
            Type::Enum(id) => self.use_entity(node, Entity::Enum(*id)),
            Type::Typedef(id) => self.use_entity(node, Entity::Typedef(*id)),
        }
    }

    /// The length of an array in a prototype may name parameters that are not
    /// objects of the program, so such types are left alone.
    fn use_parameter_type(&mut self, node: Node, ty: TypeId) {
        let mut inner = ty;
        loop {
            match self.program.types.get(inner) {
                Type::Pointer(next) => inner = *next,
                Type::Array { length: ArrayLength::Variable(_), .. } => return,
                Type::Array { element, .. } => inner = *element,
                _ => return self.use_type(node, ty),
            }
        }
    }

    pub(super) fn use_entity(&mut self, node: Node, entity: Entity) {
        if !self.declared.contains(&entity) {
            let text =
                format!("{} is used before it is declared", entity_in_words(self.program, entity));
            self.violate(FormRule::Declared, node, text);
        }
    }

    pub(super) fn use_object(&mut self, node: Node, object: ObjectId) {
        if self.visible_locals.contains(&object) {
            return;
        }
        let entity = Entity::Object(object);
        if self.program[object].linkage == Linkage::None {
            let text = format!("{} is not visible here", entity_in_words(self.program, entity));
            self.violate(FormRule::Declared, node, text);
        } else {
            self.use_entity(node, entity);
        }
    }

    pub(super) fn use_label(&mut self, node: Node, label: LabelId) {
        let text = "this function has no such label";
        self.require(self.labels.contains(&label), FormRule::Labels, node, text);
    }

    fn record(&mut self, id: RecordId) {
        let program = self.program;
        let entity = Entity::Record(id);
        let Some(fields) = &program[id].fields else {
            return self.violate(FormRule::Items, Node::Entity(entity), "it has no members");
        };
        self.check_align(Node::Entity(entity), program[id].align);
        self.check_align(Node::Entity(entity), program[id].pack);
        let is_struct = program[id].kind == RecordKind::Struct;
        for (index, field) in fields.iter().enumerate() {
            self.field(id, field, is_struct && index + 1 < fields.len());
        }
        if program[id].tag.is_some() && !self.endless {
            let mut names = FxHashSet::default();
            self.member_names(id, id, &mut names);
        }
    }

    /// Names of members are unique, those of anonymous members included.
    fn member_names(&mut self, whole: RecordId, part: RecordId, names: &mut FxHashSet<Symbol>) {
        for field in self.program[part].fields.iter().flatten() {
            if let Some(name) = field.name {
                let text = format!("two members are called {}", self.program.text(name));
                let unique = names.insert(name);
                self.require(unique, FormRule::Names, Node::Entity(Entity::Record(whole)), &text);
            } else if let Type::Record(inner) = *self.program.resolve(field.ty) {
                self.member_names(whole, inner, names);
            }
        }
    }

    fn field(&mut self, record: RecordId, field: &Field, others_follow: bool) {
        let program = self.program;
        let node = Node::Entity(Entity::Record(record));
        self.check_align(node, field.align);
        self.use_type(node, field.ty);
        match program.resolve(field.ty) {
            Type::Void | Type::Function(_) => {
                self.violate(FormRule::Member, node, "a member is void or a function");
            }
            Type::Array { length: ArrayLength::Unknown, .. } => {
                let text = "a flexible array member is not the last";
                self.require(!others_follow, FormRule::Member, node, text);
            }
            _ => {}
        }
        if let Type::Record(inner) = *self.innermost(field.ty) {
            let anonymous = program[inner].tag.is_none();
            let text = "a named member has an anonymous record as its type";
            self.require(!anonymous || field.name.is_none(), FormRule::Member, node, text);
            let complete = if anonymous {
                self.anonymous.insert(inner)
            } else {
                inner != record && self.defined.contains(&Entity::Record(inner))
            };
            if !complete {
                self.endless = true;
                let text = "a member has a record as its type that is not yet complete";
                self.violate(FormRule::Member, node, text);
            } else if anonymous {
                self.record(inner);
            }
        }
        let Some(bits) = field.bits else {
            let anonymous =
                matches!(program.resolve(field.ty), Type::Record(id) if program[*id].tag.is_none());
            let text = "a member without a name is neither a bit-field nor anonymous";
            return self.require(field.name.is_some() || anonymous, FormRule::Member, node, text);
        };
        match self.int_width(field.ty) {
            None => self.violate(FormRule::Member, node, "a bit-field is not an integer"),
            Some(width) => {
                let text = "a bit-field is wider than its type";
                self.require(bits <= width, FormRule::Member, node, text);
                let text = "a bit-field with a name has no bits";
                self.require(bits > 0 || field.name.is_none(), FormRule::Member, node, text);
            }
        }
    }

    /// The type of the elements of an array of arrays; any other type itself.
    fn innermost(&self, mut ty: TypeId) -> &Type {
        loop {
            match self.program.resolve(ty) {
                Type::Array { element, .. } => ty = *element,
                other => return other,
            }
        }
    }

    fn check_align(&mut self, node: Node, align: Option<u32>) {
        let text = "an alignment is not a power of two";
        self.require(align.is_none_or(u32::is_power_of_two), FormRule::Entity, node, text);
    }

    fn file_object(&mut self, id: ObjectId, defines: bool) {
        let object = &self.program[id];
        let node = Node::Entity(Entity::Object(id));
        self.declared_objects.insert(id);
        let text = "an object at file scope has no linkage or automatic storage";
        let fits = object.linkage != Linkage::None && object.storage != Storage::Automatic;
        self.require(fits, FormRule::Entity, node, text);
        self.object(id, defines);
    }

    /// What holds for objects of every scope. The object is visible in its own initialiser.
    fn object(&mut self, id: ObjectId, defines: bool) {
        let object = &self.program[id];
        let node = Node::Entity(Entity::Object(id));
        self.check_align(node, object.align);
        self.use_type(node, object.ty);
        let is_object = match self.program.resolve(object.ty) {
            Type::Function(_) => false,
            Type::Void => !defines,
            _ => true,
        };
        self.require(is_object, FormRule::Entity, node, "an object is void or a function");
        if let Type::Record(record) = *self.innermost(object.ty)
            && defines
        {
            let text = "an object has an incomplete type";
            self.require(self.program[record].fields.is_some(), FormRule::Entity, node, text);
            let text = "an object has an anonymous record as its type";
            self.require(self.program[record].tag.is_some(), FormRule::Entity, node, text);
        }
        if defines && let Some(init) = object.init {
            self.initialiser(init, object.ty);
        }
    }

    /// Declares an object of block scope, or a parameter.
    fn local_object(&mut self, node: Node, id: ObjectId, named: bool) {
        let object = &self.program[id];
        let text = "an object of block scope has linkage";
        self.require(object.linkage == Linkage::None, FormRule::Entity, node, text);
        if !self.declared_objects.insert(id) {
            self.violate(FormRule::Declared, node, "an object is declared twice");
        }
        match object.name {
            Some(name) => self.declare_name(node, name),
            None => self.require(!named, FormRule::Names, node, "a variable has no name"),
        }
        self.locals.push(Entity::Object(id));
        self.visible_locals.insert(id);
        self.object(id, true);
    }

    fn function(&mut self, id: FunctionId, defines: bool) {
        let program = self.program;
        let function = &program[id];
        let node = Node::Entity(Entity::Function(id));
        let Type::Function(ty) = program.resolve(function.ty) else {
            return self.violate(FormRule::Entity, node, "a function has a type that is none");
        };
        let inside = self.function.is_some();
        let text = "a function has no linkage, or one inside another has";
        self.require((function.linkage == Linkage::None) == inside, FormRule::Entity, node, text);
        if !defines {
            // The names of parameters in a prototype mean nothing, and the objects
            // may be those of the definition that follows.
            return self.use_type(node, function.ty);
        }
        let Some(body) = function.body else {
            return self.violate(FormRule::Items, node, "it is defined and has no body");
        };
        let outside = self.function.replace(id);
        let outer_labels = self.labels.clone();
        self.collect_labels(body);
        let outer_jumps = (take(&mut self.loops), take(&mut self.breakables));
        let outer_switches = take(&mut self.switches);
        let scope = self.enter();
        for &parameter in &function.parameters {
            self.local_object(Node::Entity(Entity::Object(parameter)), parameter, false);
            let text = "a parameter has an initialiser";
            self.require(program[parameter].init.is_none(), FormRule::Entity, node, text);
        }
        self.use_type(node, function.ty);
        if ty.prototyped {
            let fits = ty.parameters.len() == function.parameters.len()
                && ty
                    .parameters
                    .iter()
                    .zip(&function.parameters)
                    .all(|(&ty, &object)| self.agree(ty, program[object].ty));
            let text = "the parameters do not have the types that the function type gives them";
            self.require(fits, FormRule::Type, node, text);
        }
        // C makes the parameters and the outermost block one scope.
        match &program[body] {
            Stmt::Block(statements) => statements.iter().for_each(|&stmt| self.stmt(stmt)),
            _ => self.violate(FormRule::Statement, Node::Stmt(body), "a body is not a block"),
        }
        self.leave(scope);
        self.function = outside;
        self.labels = outer_labels;
        (self.loops, self.breakables) = outer_jumps;
        self.switches = outer_switches;
    }

    /// Finds the labels of a function, also those inside statement expressions.
    fn collect_labels(&mut self, body: StmtId) {
        let program = self.program;
        let mut names = FxHashSet::default();
        for label in all_labels(program, body) {
            let taken = !program[label].local && !names.insert(program[label].name);
            let once = self.labels.insert(label);
            let text = "a label is defined twice, or two labels have one name";
            self.require(once && !taken, FormRule::Labels, Node::Label(label), text);
        }
    }

    pub(super) fn block(&mut self, id: StmtId) {
        let program = self.program;
        let Stmt::Block(statements) = &program[id] else {
            return self.violate(FormRule::Statement, Node::Stmt(id), "a body is not a block");
        };
        let scope = self.enter();
        statements.iter().for_each(|&stmt| self.stmt(stmt));
        self.leave(scope);
    }

    /// The body of a loop or switch, or a branch: a scope of its own (C11 6.8.4p3, 6.8.5p5).
    fn body(&mut self, id: StmtId) {
        let text = "a declaration stands where only a statement can";
        let declares = matches!(
            self.program[id],
            Stmt::Declare(_) | Stmt::DefineRecord(_) | Stmt::DefineFunction(_)
        );
        self.require(!declares, FormRule::Statement, Node::Stmt(id), text);
        let scope = self.enter();
        self.stmt(id);
        self.leave(scope);
    }

    /// Makes something visible that a statement defines.
    fn define_here(&mut self, node: Node, entity: Entity) {
        let once = self.declared.insert(entity) && self.defined.insert(entity);
        self.require(once, FormRule::Items, node, "a record or a function is defined twice");
        self.introduce(entity);
    }

    fn loop_body(&mut self, id: StmtId) {
        self.loops += 1;
        self.breakables += 1;
        self.body(id);
        self.loops -= 1;
        self.breakables -= 1;
    }

    fn hints(&mut self, node: Node, hints: &[Hint], body: StmtId) {
        hints.iter().filter_map(|hint| hint.object).for_each(|object| self.expr(object));
        if let Some(fault) = self.program.hint_fault(hints, body) {
            self.violate(FormRule::Statement, node, fault);
        }
        self.stmt(body);
    }

    pub(super) fn stmt(&mut self, id: StmtId) {
        let program = self.program;
        let node = Node::Stmt(id);
        match &program[id] {
            Stmt::Empty | Stmt::Fallthrough => {}
            Stmt::Expr(value) => self.value(*value),
            Stmt::Block(_) => self.block(id),
            Stmt::Declare(object) => self.local_object(node, *object, true),
            Stmt::DefineRecord(record) => {
                self.define_here(node, Entity::Record(*record));
                self.record(*record);
            }
            Stmt::DefineFunction(function) => {
                self.define_here(node, Entity::Function(*function));
                self.locals.push(Entity::Function(*function));
                self.function(*function, true);
            }
            Stmt::If { condition, then, otherwise } => {
                self.condition(*condition);
                self.body(*then);
                otherwise.iter().for_each(|&otherwise| self.body(otherwise));
            }
            Stmt::While { condition, body } => {
                self.condition(*condition);
                self.loop_body(*body);
            }
            Stmt::DoWhile { body, condition } => {
                self.loop_body(*body);
                self.condition(*condition);
            }
            Stmt::For { init, condition, step, body } => {
                let scope = self.enter();
                for &stmt in init {
                    let fits = match program[stmt] {
                        Stmt::Declare(_) => true,
                        Stmt::Expr(_) => init.len() == 1,
                        _ => false,
                    };
                    let text = "the start of a for is neither one expression nor declarations";
                    self.require(fits, FormRule::Statement, node, text);
                    self.stmt(stmt);
                }
                condition.iter().for_each(|&condition| self.condition(condition));
                step.iter().for_each(|&step| self.value(step));
                self.loop_body(*body);
                self.leave(scope);
            }
            Stmt::Hinted { hints, body } => self.hints(node, hints, *body),
            Stmt::Switch { value, body } => {
                self.value(*value);
                let integer = self.is_integer(program.type_of(*value));
                self.require(integer, FormRule::Type, node, "a switch on what is not an integer");
                self.switches.push(false);
                self.breakables += 1;
                self.body(*body);
                self.breakables -= 1;
                self.switches.pop();
            }
            Stmt::Case { first, last, body } => {
                let text = "a case outside any switch";
                self.require(!self.switches.is_empty(), FormRule::Jumps, node, text);
                for &value in [first].into_iter().chain(last) {
                    self.value(value);
                    let integer = self.is_integer(program.type_of(value));
                    self.require(integer, FormRule::Type, node, "a case is not an integer");
                }
                self.stmt(*body);
            }
            Stmt::Default(body) => {
                match self.switches.last_mut() {
                    None => self.violate(FormRule::Jumps, node, "a default outside any switch"),
                    Some(had) => {
                        let first = !std::mem::replace(had, true);
                        self.require(first, FormRule::Jumps, node, "a second default");
                    }
                }
                self.stmt(*body);
            }
            Stmt::Label(label, body) => {
                self.use_label(node, *label);
                self.stmt(*body);
            }
            Stmt::Goto(label) => self.use_label(node, *label),
            Stmt::GotoComputed(target) => {
                self.value(*target);
                let pointer = matches!(program.resolve(program.type_of(*target)), Type::Pointer(_));
                self.require(pointer, FormRule::Type, node, "a goto to what is not a pointer");
            }
            Stmt::Break => {
                let text = "a break outside loops and switches";
                self.require(self.breakables > 0, FormRule::Jumps, node, text);
            }
            Stmt::Continue => {
                self.require(self.loops > 0, FormRule::Jumps, node, "a continue outside loops");
            }
            Stmt::Return(value) => self.return_stmt(node, *value),
            Stmt::Asm(asm) => self.asm(*asm),
        }
    }

    /// GCC only warns about a missing value, and about a value in a void function.
    fn return_stmt(&mut self, node: Node, value: Option<ExprId>) {
        let (Some(value), Some(function)) = (value, self.function) else { return };
        self.value(value);
        let program = self.program;
        let Type::Function(ty) = program.resolve(program[function].ty) else { return };
        if matches!(program.resolve(ty.result), Type::Void) {
            return;
        }
        if !self.agree(ty.result, program.type_of(value)) {
            let text = format!(
                "returns {} from a function of {}",
                type_in_words(program, program.type_of(value)),
                type_in_words(program, ty.result)
            );
            self.violate(FormRule::Type, node, text);
        }
    }

    fn asm(&mut self, id: AsmId) {
        let asm = &self.program[id];
        for output in &asm.outputs {
            self.expr(output.value);
            let lvalue = self.program.is_lvalue(output.value);
            let text = "an output of asm is not an lvalue";
            self.require(lvalue, FormRule::Lvalue, Node::Expr(output.value), text);
        }
        asm.inputs.iter().for_each(|input| self.expr(input.value));
        if self.function.is_some() {
            for &label in &asm.labels {
                self.use_label(Node::Label(label), label);
            }
        }
    }
}
