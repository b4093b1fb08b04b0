//! Interned names.

use std::hash::BuildHasher;
use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::arena::{Id, Symbol};

/// The names of a program. A name is stored once; two symbols are equal exactly
/// when their texts are.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// All names, one after the other.
    text: String,
    /// By symbol: where its name ends; it begins where the one before it ends.
    ends: Vec<u32>,
    /// A hash table with linear probing: symbols plus one, zero where it is empty. Its
    /// length is a power of two, and at least half of it is empty.
    table: Vec<u32>,
    /// By stem: the number that [`fresh`](Self::fresh) found last. A name is never forgotten, so
    /// all numbers below are taken.
    numbered: FxHashMap<Box<str>, u64>,
}

impl Names {
    /// The symbol of `text`.
    #[inline]
    pub fn intern(&mut self, text: &str) -> Symbol {
        if self.table.len() < 2 * (self.ends.len() + 1) {
            self.grow();
        }
        let place = self.place(text);
        match self.table[place].checked_sub(1) {
            Some(found) => Symbol::from_index(found as usize),
            None => self.add(text, place),
        }
    }

    fn add(&mut self, text: &str, place: usize) -> Symbol {
        let symbol = Symbol::from_index(self.ends.len());
        self.text.push_str(text);
        let end = u32::try_from(self.text.len()).expect("names have less than 4 GiB");
        self.ends.push(end);
        self.table[place] = self.ends.len() as u32;
        symbol
    }

    /// The symbol of `text`, if anything was ever called that.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        if self.table.is_empty() {
            return None;
        }
        let found = self.table[self.place(text)].checked_sub(1)?;
        Some(Symbol::from_index(found as usize))
    }

    /// The symbol of `base` if nothing is called that; otherwise of `base_1`, `base_2` and so
    /// on: a name that occurs nowhere in the program.
    pub fn fresh(&mut self, base: &str) -> Symbol {
        if self.find(base).is_none() {
            return self.intern(base);
        }
        let stem = base.trim_end_matches(|c: char| c.is_ascii_digit());
        let stem = stem.strip_suffix('_').unwrap_or(base);
        let mut number = self.numbered.get(stem).copied().unwrap_or(0);
        let fresh = loop {
            number += 1;
            let name = format!("{stem}_{number}");
            if self.find(&name).is_none() {
                break name;
            }
        };
        match self.numbered.get_mut(stem) {
            Some(known) => *known = number,
            None => drop(self.numbered.insert(stem.into(), number)),
        }
        self.intern(&fresh)
    }

    /// The text of `symbol`.
    #[inline]
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.text[self.range(symbol.index())]
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Where the name of the symbol with this index is.
    #[inline]
    fn range(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start as usize..self.ends[index] as usize
    }

    /// Where in the table `text` is, or would be.
    #[inline]
    fn place(&self, text: &str) -> usize {
        let mask = self.table.len() - 1;
        let mut place = FxBuildHasher.hash_one(text) as usize & mask;
        while let Some(found) = self.table[place].checked_sub(1) {
            // Bytes, because nothing has to check whether characters begin here.
            if self.text.as_bytes()[self.range(found as usize)] == *text.as_bytes() {
                break;
            }
            place = (place + 1) & mask;
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        // Room for the names of a Csmith program with its headers.
        self.table = vec![0; (2 * self.table.len()).max(1 << 13)];
        for index in 0..self.ends.len() {
            let place = self.place(self.text(Symbol::from_index(index)));
            self.table[place] = index as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_symbol() {
        let mut names = Names::default();
        assert_eq!(names.find("x"), None);
        assert!(names.is_empty());
        // More than the table holds at first, and the empty name too.
        let text = |index: usize| if index == 0 { String::new() } else { format!("name{index}") };
        let symbols: Vec<Symbol> = (0..5000).map(|index| names.intern(&text(index))).collect();
        assert_eq!(names.len(), 5000);
        for (index, symbol) in symbols.into_iter().enumerate() {
            assert_eq!(names.intern(&text(index)), symbol);
            assert_eq!(names.find(&text(index)), Some(symbol));
            assert_eq!(names.text(symbol), text(index));
        }
        assert_eq!(names.len(), 5000);
        assert_eq!(names.find("x"), None);
    }
}
