//! Rules for the documents: links lead somewhere, every requirement has a row, and every
//! invariant names the test that holds it.

use super::{Finding, Tree};

/// The requirements: a letter, and how many of them there are.
const REQUIREMENTS: &[(char, usize)] = &[('A', 21), ('B', 7), ('C', 10), ('D', 22), ('E', 7)];

const COVERAGE: &str = "docs/coverage.md";
const ARCHITECTURE: &str = "ARCHITECTURE.md";

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for file in tree.with_extension("md") {
        check_links(tree, file, &tree.text(file).unwrap_or_default(), findings);
    }
    match tree.text(COVERAGE) {
        Some(text) => check_coverage(tree, &text, findings),
        None => findings.push(Finding::new(COVERAGE, "missing")),
    }
    match tree.text(ARCHITECTURE) {
        Some(text) => check_invariants(tree, &text, findings),
        None => findings.push(Finding::new(ARCHITECTURE, "missing")),
    }
}

/// Every relative link and picture has to exist.
fn check_links(tree: &Tree, file: &str, text: &str, findings: &mut Vec<Finding>) {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut fenced = false;
    for (number, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        for target in link_targets(line) {
            let path = target.split(['#', '?']).next().unwrap_or_default();
            let elsewhere = target.contains("://") || target.starts_with("mailto:");
            if path.is_empty() || elsewhere {
                continue;
            }
            if !exists(tree, folder, path) {
                let place = format!("{file}:{}", number + 1);
                findings.push(Finding::new(place, format!("the link `{target}` leads nowhere")));
            }
        }
    }
}

/// What stands in the round brackets of `[text](target)` and `![text](target)`.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let inner = rest.split(')').next()?;
        inner.split_whitespace().next()
    })
}

fn exists(tree: &Tree, folder: &str, path: &str) -> bool {
    tree.root.join(folder).join(path).exists()
}

/// The row of each requirement: its status, and code and tests that exist where it is not open.
fn check_coverage(tree: &Tree, text: &str, findings: &mut Vec<Finding>) {
    for (letter, count) in REQUIREMENTS {
        for number in 1..=*count {
            let id = format!("{letter}{number}");
            let start = format!("| {id} |");
            let mut rows = text.lines().filter(|line| line.starts_with(&start));
            let Some(row) = rows.next() else {
                findings.push(Finding::new(COVERAGE, format!("no row for {id}")));
                continue;
            };
            if rows.next().is_some() {
                findings.push(Finding::new(COVERAGE, format!("two rows for {id}")));
            }
            check_row(tree, &id, row, findings);
        }
    }
}

/// `| ID | requirement | status | code | test |`.
fn check_row(tree: &Tree, id: &str, row: &str, findings: &mut Vec<Finding>) {
    let cells: Vec<&str> = row.trim().trim_matches('|').split('|').map(str::trim).collect();
    let [_, _, status, code, test] = cells[..] else {
        let message = format!("the row of {id} has {} cells, not 5", cells.len());
        findings.push(Finding::new(COVERAGE, message));
        return;
    };
    if !["done", "part", "open"].contains(&status) {
        let message = format!("{id}: the status is done, part or open, not `{status}`");
        findings.push(Finding::new(COVERAGE, message));
    }
    for (what, cell) in [("code", code), ("test", test)] {
        let references = references(cell);
        if status == "done" && references.is_empty() {
            findings.push(Finding::new(COVERAGE, format!("{id} is done but names no {what}")));
        }
        for reference in references {
            check_reference(tree, COVERAGE, reference, findings);
        }
    }
}

/// A paragraph or list item that says `**Invariant` names a test that exists.
fn check_invariants(tree: &Tree, text: &str, findings: &mut Vec<Finding>) {
    let mut found = 0;
    for block in text.split("\n\n").flat_map(items) {
        if !block.contains("**Invariant") {
            continue;
        }
        found += 1;
        let tests: Vec<&str> =
            references(&block).into_iter().filter(|name| name.contains(".rs")).collect();
        if tests.is_empty() {
            let line = block.lines().next().unwrap_or_default();
            let message = format!("names no test (`path/to/file.rs::test`): {line}");
            findings.push(Finding::new(ARCHITECTURE, message));
        }
        for reference in tests {
            check_reference(tree, ARCHITECTURE, reference, findings);
        }
    }
    if found == 0 {
        findings.push(Finding::new(ARCHITECTURE, "has no line with **Invariant"));
    }
}

/// The items of a list block, each with its continuation lines; any other block is one item.
fn items(block: &str) -> Vec<String> {
    let starts = |line: &str| {
        let marker = line.split_whitespace().next().unwrap_or_default();
        let number = marker.strip_suffix('.').is_some_and(|n| n.parse::<u32>().is_ok());
        !line.starts_with(' ') && (marker == "-" || marker == "*" || number)
    };
    let mut items: Vec<String> = Vec::new();
    for line in block.lines() {
        match items.last_mut() {
            Some(item) if !starts(line) => {
                item.push('\n');
                item.push_str(line);
            }
            _ => items.push(line.to_owned()),
        }
    }
    items
}

/// What stands between back-ticks and looks like a path: `a/b.rs`, `a/b.rs::name` or `a/b/`.
fn references(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|word| word.contains('/') && !word.contains(' ')).collect()
}

/// The path exists, and so does the function behind `::`.
fn check_reference(tree: &Tree, place: &str, reference: &str, findings: &mut Vec<Finding>) {
    let (path, function) = match reference.split_once("::") {
        Some((path, function)) => (path, Some(function)),
        None => (reference, None),
    };
    if !exists(tree, "", path) {
        findings.push(Finding::new(place, format!("`{path}` does not exist")));
        return;
    }
    let Some(function) = function else { return };
    let function = function.rsplit("::").next().unwrap_or(function);
    let text = tree.text(path).unwrap_or_default();
    if !text.contains(&format!("fn {function}(")) && !text.contains(&format!("fn {function}<")) {
        findings.push(Finding::new(place, format!("`{path}` has no function `{function}`")));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scratch;
    use super::*;

    #[test]
    fn a_broken_link_is_found_and_a_good_one_is_not() {
        let text = "[a](b.md#part) ![p](../x/p.png) [web](https://example.org) [here](#top)\n\
                    ```\n[code](not-a-link)\n```\n[gone](c.md)";
        let files = [("docs/a.md", text), ("docs/b.md", ""), ("x/p.png", "")];
        let links = |tree: &Tree, findings: &mut Vec<Finding>| {
            let text = tree.text("docs/a.md").unwrap();
            check_links(tree, "docs/a.md", &text, findings);
        };
        let findings = Scratch::new(&files).findings(links);
        assert_eq!(findings, ["docs/a.md:5: the link `c.md` leads nowhere"]);
    }

    #[test]
    fn the_coverage_table_is_complete_and_true() {
        let mut table = String::new();
        for (letter, count) in REQUIREMENTS {
            for number in 1..=*count {
                match (letter, number) {
                    ('A', 1) => table += "| A1 | x | done | `src/a.rs` | `src/a.rs::holds` |\n",
                    ('A', 2) => table += "| A2 | x | done | `src/a.rs` | – |\n",
                    ('A', 3) => table += "| A3 | x | done | `src/b.rs` | `src/a.rs::gone` |\n",
                    ('A', 4) => table += "| A4 | x | finished | | |\n",
                    ('A', 5) => {}
                    _ => table += &format!("| {letter}{number} | x | open | | |\n"),
                }
            }
        }
        let files = [(COVERAGE, table.as_str()), ("src/a.rs", "fn holds() {}")];
        let coverage = |tree: &Tree, findings: &mut Vec<Finding>| {
            check_coverage(tree, &tree.text(COVERAGE).unwrap(), findings);
        };
        assert_eq!(
            Scratch::new(&files).findings(coverage),
            [
                "docs/coverage.md: A2 is done but names no test",
                "docs/coverage.md: `src/b.rs` does not exist",
                "docs/coverage.md: `src/a.rs` has no function `gone`",
                "docs/coverage.md: A4: the status is done, part or open, not `finished`",
                "docs/coverage.md: no row for A5",
            ]
        );
    }

    #[test]
    fn an_invariant_names_a_test_that_exists() {
        let text = "- **Invariant 1.** Held by\n  `t/a.rs::holds`.\n- **Invariant 2.** Trust me.\n\
                    \n**Invariant 3.** `t/a.rs::gone`.\n\nPlain words.";
        let files = [(ARCHITECTURE, text), ("t/a.rs", "fn holds() {}")];
        let invariants = |tree: &Tree, findings: &mut Vec<Finding>| {
            check_invariants(tree, &tree.text(ARCHITECTURE).unwrap(), findings);
        };
        let findings = Scratch::new(&files).findings(invariants);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].contains("Invariant 2"));
        assert!(findings[1].contains("no function `gone`"));
    }
}
