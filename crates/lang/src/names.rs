//! Interned names.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::arena::{Id, Symbol};

/// The names of a program. A name is stored once; two symbols are equal exactly
/// when their texts are.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<Arc<str>>,
    symbols: FxHashMap<Arc<str>, Symbol>,
}

impl Names {
    /// The symbol of `text`.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol::from_index(self.texts.len());
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.symbols.insert(text, symbol);
        symbol
    }

    /// The symbol of `text`, if anything was ever called that.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// The text of `symbol`.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.index()]
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
