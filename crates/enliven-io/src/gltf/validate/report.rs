//! Where findings go.

use std::collections::BTreeMap;

use super::codes::{Code, DIAGNOSTICS_TRUNCATED};
use crate::Diagnostic;

/// Findings of one code that are kept; more of the same tells a person nothing new.
const KEPT_A_CODE: usize = 100;

/// Collects findings at a current place, which is a JSON pointer that grows and shrinks as the
/// checks walk the document.
pub(super) struct Report {
    place: String,
    kept: Vec<Diagnostic>,
    limit: usize,
    /// Findings a code, kept or not.
    seen: BTreeMap<&'static str, usize>,
}

/// A place to come back to.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

impl Report {
    /// An empty report that keeps at most `limit` findings.
    pub(super) fn new(limit: usize) -> Self {
        Self { place: String::new(), kept: Vec::new(), limit, seen: BTreeMap::new() }
    }

    /// The current place, to come back to.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.place.len())
    }

    /// Goes one step down, into a key; `leave` goes back.
    pub(super) fn enter(&mut self, key: &str) -> Mark {
        let mark = self.mark();
        self.place.push('/');
        if key.contains(['~', '/']) {
            self.place.push_str(&key.replace('~', "~0").replace('/', "~1"));
        } else {
            self.place.push_str(key);
        }
        mark
    }

    /// Goes one step down, into an element.
    pub(super) fn enter_index(&mut self, index: usize) -> Mark {
        use std::fmt::Write;
        let mark = self.mark();
        // Writing to a String cannot fail.
        let _ = write!(self.place, "/{index}");
        mark
    }

    /// Goes back to where `mark` was taken.
    pub(super) fn leave(&mut self, mark: Mark) {
        self.place.truncate(mark.0);
    }

    /// The current place as a JSON pointer.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// A finding at the current place. The message is made only when it is kept.
    pub(super) fn add(&mut self, code: Code, message: impl FnOnce() -> String) {
        let place = if self.counts(code) { self.place.clone() } else { return };
        self.keep(code, place, message());
    }

    /// A finding one step down, at a key.
    pub(super) fn add_at(&mut self, key: &str, code: Code, message: impl FnOnce() -> String) {
        let mark = self.enter(key);
        self.add(code, message);
        self.leave(mark);
    }

    /// A finding at another place.
    pub(super) fn add_elsewhere(
        &mut self,
        place: &str,
        code: Code,
        message: impl FnOnce() -> String,
    ) {
        if self.counts(code) {
            self.keep(code, place.to_owned(), message());
        }
    }

    fn counts(&mut self, code: Code) -> bool {
        let seen = self.seen.entry(code.name).or_default();
        *seen += 1;
        *seen <= KEPT_A_CODE && self.kept.len() < self.limit
    }

    fn keep(&mut self, code: Code, place: String, message: String) {
        self.kept.push(Diagnostic::new(code.severity, code.name, place, message));
    }

    /// The findings kept, and a last one that says how many were left out.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        let all: usize = self.seen.values().sum();
        let left_out = all - self.kept.len();
        if left_out > 0 {
            let codes: Vec<String> = self
                .seen
                .iter()
                .filter(|(_, seen)| **seen > KEPT_A_CODE)
                .map(|(code, seen)| format!("{code} ({seen})"))
                .collect();
            self.kept.push(Diagnostic::new(
                DIAGNOSTICS_TRUNCATED.severity,
                DIAGNOSTICS_TRUNCATED.name,
                "",
                format!("{left_out} further findings left out: {}", codes.join(", ")),
            ));
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::validate::codes::{EMPTY_ENTITY, NODE_EMPTY};

    #[test]
    fn places_are_escaped_pointers() {
        let mut report = Report::new(10);
        let mark = report.enter("a/b~c");
        let inner = report.enter_index(7);
        assert_eq!(report.place(), "/a~1b~0c/7");
        report.leave(inner);
        report.add_at("d", EMPTY_ENTITY, || "empty".into());
        report.leave(mark);
        assert_eq!(report.place(), "");
        let found = report.finish();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "/a~1b~0c/d");
    }

    #[test]
    fn too_many_of_one_code_are_counted() {
        let mut report = Report::new(1000);
        for _ in 0..KEPT_A_CODE + 20 {
            report.add(NODE_EMPTY, String::new);
        }
        report.add(EMPTY_ENTITY, || "another code is still kept".into());
        let found = report.finish();
        assert_eq!(found.len(), KEPT_A_CODE + 2);
        let last = found.last().expect("not empty");
        assert_eq!(last.code, "DIAGNOSTICS_TRUNCATED");
        assert!(last.message.contains("20 further") && last.message.contains("NODE_EMPTY (120)"));
    }
}
