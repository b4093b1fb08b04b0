//! Long lists, a page at a time.

use serde::Serialize;

/// A part of a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct ListPage<T> {
    /// From one.
    pub(crate) page: usize,
    pub(crate) pages: usize,
    /// In all of them.
    pub(crate) count: usize,
    pub(crate) rows: Vec<T>,
}

impl<T> ListPage<T> {
    /// A page of a list of so many. One after the last is the last.
    pub(crate) fn of(
        count: usize,
        page: usize,
        most: usize,
        rows: impl FnOnce(std::ops::Range<usize>) -> Vec<T>,
    ) -> Self {
        let pages = count.div_ceil(most).max(1);
        let page = page.clamp(1, pages);
        let from = (page - 1) * most;
        Self { page, pages, count, rows: rows(from..count.min(from + most)) }
    }

    /// The same page with other rows.
    pub(crate) fn try_map<U, E>(
        self,
        row: impl FnMut(&T) -> Result<U, E>,
    ) -> Result<ListPage<U>, E> {
        let Self { page, pages, count, rows } = self;
        Ok(ListPage { page, pages, count, rows: rows.iter().map(row).collect::<Result<_, _>>()? })
    }

    /// The pages that links lead to: the first, the last, and those around this one; zero stands
    /// for what is left out.
    pub(crate) fn links(&self) -> Vec<usize> {
        let mut links = Vec::new();
        for page in 1..=self.pages {
            if page == 1 || page == self.pages || page.abs_diff(self.page) <= 1 {
                links.push(page);
            } else if links.last() != Some(&0) {
                links.push(0);
            }
        }
        links
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_pages() {
        let part =
            |count, page| ListPage::of(count, page, 10, |range| range.collect::<Vec<usize>>());
        assert!(part(0, 1).rows.is_empty());
        assert_eq!((part(0, 9).page, part(0, 9).pages), (1, 1));
        assert_eq!(part(25, 3).rows, [20, 21, 22, 23, 24]);
        assert_eq!(part(25, 99), part(25, 3));
        assert_eq!(part(100, 5).links(), [1, 0, 4, 5, 6, 0, 10]);
        assert_eq!(part(30, 1).links(), [1, 2, 3]);
    }
}
