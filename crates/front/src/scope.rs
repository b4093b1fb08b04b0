//! What names mean, scope by scope.

use farrier_lang::{
    EnumConstantId, EnumId, FunctionId, Id, LabelId, ObjectId, RecordId, Span, Symbol, TypeId,
};

/// What an ordinary identifier stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Object(ObjectId),
    Function(FunctionId),
    EnumConstant(EnumConstantId),
    Typedef(TypeId),
}

/// What a tag stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

#[derive(Clone, Copy, Debug)]
struct Binding<T> {
    symbol: Symbol,
    depth: u32,
    value: T,
    /// Where it is declared.
    span: Span,
    /// The binding that this one hides, plus one.
    hidden: u32,
}

/// One name space: a stack of bindings, and for each symbol the innermost.
#[derive(Debug)]
pub(crate) struct NameSpace<T> {
    bindings: Vec<Binding<T>>,
    /// By symbol: its innermost binding, plus one; zero if it has none.
    innermost: Vec<u32>,
}

impl<T> Default for NameSpace<T> {
    fn default() -> Self {
        Self { bindings: Vec::new(), innermost: Vec::new() }
    }
}

impl<T: Copy> NameSpace<T> {
    fn find(&self, symbol: Symbol) -> Option<&Binding<T>> {
        let position = *self.innermost.get(symbol.index())?;
        self.bindings.get((position as usize).checked_sub(1)?)
    }

    fn bind(&mut self, symbol: Symbol, value: T, span: Span, depth: u32) {
        if self.innermost.len() <= symbol.index() {
            self.innermost.resize(symbol.index() + 1, 0);
        }
        let hidden = self.innermost[symbol.index()];
        self.bindings.push(Binding { symbol, depth, value, span, hidden });
        self.innermost[symbol.index()] = self.bindings.len() as u32;
    }

    /// The bindings of the innermost scope, if that is at `depth`.
    fn here(&self, depth: u32) -> impl Iterator<Item = (Symbol, T)> {
        let first = self.bindings.partition_point(|binding| binding.depth < depth);
        self.bindings[first..].iter().map(|binding| (binding.symbol, binding.value))
    }

    fn leave(&mut self, depth: u32) {
        while let Some(binding) = self.bindings.last() {
            if binding.depth <= depth {
                break;
            }
            self.innermost[binding.symbol.index()] = binding.hidden;
            self.bindings.pop();
        }
    }
}

/// All scopes that are open. Depth zero is the file.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    depth: u32,
    ordinary: NameSpace<Meaning>,
    tags: NameSpace<Tag>,
    labels: NameSpace<LabelId>,
}

impl Scopes {
    pub(crate) fn enter(&mut self) {
        self.depth += 1;
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
        self.ordinary.leave(self.depth);
        self.tags.leave(self.depth);
        self.labels.leave(self.depth);
    }

    /// The tags of the innermost scope, in order.
    pub(crate) fn tags_here(&self) -> Vec<(Symbol, Tag)> {
        self.tags.here(self.depth).collect()
    }

    /// The enumeration constants of the innermost scope, in order.
    pub(crate) fn constants_here(&self) -> Vec<(Symbol, Meaning)> {
        let all = self.ordinary.here(self.depth);
        all.filter(|(_, meaning)| matches!(meaning, Meaning::EnumConstant(_))).collect()
    }

    pub(crate) fn is_file(&self) -> bool {
        self.depth == 0
    }

    pub(crate) fn lookup(&self, symbol: Symbol) -> Option<Meaning> {
        self.ordinary.find(symbol).map(|binding| binding.value)
    }

    /// The meaning of `symbol` in the innermost scope alone.
    pub(crate) fn lookup_here(&self, symbol: Symbol) -> Option<Meaning> {
        self.ordinary.find(symbol).filter(|b| b.depth == self.depth).map(|b| b.value)
    }

    /// Where the innermost meaning of `symbol` is declared.
    pub(crate) fn place(&self, symbol: Symbol) -> Option<Span> {
        self.ordinary.find(symbol).map(|binding| binding.span)
    }

    pub(crate) fn declare(&mut self, symbol: Symbol, meaning: Meaning, span: Span) {
        self.ordinary.bind(symbol, meaning, span, self.depth);
    }

    pub(crate) fn tag(&self, symbol: Symbol) -> Option<Tag> {
        self.tags.find(symbol).map(|binding| binding.value)
    }

    pub(crate) fn tag_here(&self, symbol: Symbol) -> Option<Tag> {
        self.tags.find(symbol).filter(|b| b.depth == self.depth).map(|b| b.value)
    }

    /// Where the innermost tag `symbol` is first named.
    pub(crate) fn tag_place(&self, symbol: Symbol) -> Option<Span> {
        self.tags.find(symbol).map(|binding| binding.span)
    }

    pub(crate) fn declare_tag(&mut self, symbol: Symbol, tag: Tag, span: Span) {
        self.tags.bind(symbol, tag, span, self.depth);
    }

    pub(crate) fn label(&self, symbol: Symbol) -> Option<LabelId> {
        self.labels.find(symbol).map(|binding| binding.value)
    }

    /// Declares a label in the innermost scope.
    pub(crate) fn declare_label(&mut self, symbol: Symbol, label: LabelId, span: Span) {
        self.labels.bind(symbol, label, span, self.depth);
    }

    /// Forgets everything at file scope, for the next translation unit.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}
