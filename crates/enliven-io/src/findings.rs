//! Diagnostics as they are collected.

use enliven::Diagnostic;

/// Diagnostics as they are collected: no more than a file may cause.
#[derive(Debug)]
pub(crate) struct Findings {
    list: Vec<Diagnostic>,
    most: usize,
    /// Those that came after the list was full.
    more: usize,
}

impl Findings {
    /// Keeps the first `most`.
    pub(crate) fn new(most: usize) -> Self {
        Self { list: Vec::new(), most, more: 0 }
    }

    pub(crate) fn push(&mut self, found: Diagnostic) {
        if self.list.len() < self.most {
            self.list.push(found);
        } else {
            self.more += 1;
        }
    }

    /// Those kept, and how many more there were.
    pub(crate) fn into_parts(self) -> (Vec<Diagnostic>, usize) {
        (self.list, self.more)
    }

    /// Those kept so far, which are forgotten here.
    pub(crate) fn take(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.list)
    }

    #[cfg(test)]
    pub(crate) fn list(&self) -> &[Diagnostic] {
        &self.list
    }
}

impl Extend<Diagnostic> for Findings {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, found: T) {
        found.into_iter().for_each(|found| self.push(found));
    }
}
