//! `#import` and `@if` for WGSL.
//!
//! A source is plain WGSL plus four kinds of line, each alone on its line:
//!
//! ```text
//! #import name          the module's text, once, where it is first imported
//! @if(skin && !flat)    the lines up to the matching @else or @end, when true
//! @else
//! @end
//! ```
//!
//! and one that stands before a single line: `@if(skin) let x = 1;`.
//! Conditions are feature names with `!`, `&&`, `||` (loosest) and no brackets.
//! Dropped lines become empty lines, so that within a module without imports the
//! compiler's line numbers are the file's.

use thiserror::Error;

/// A fault in a shader source.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub(crate) enum PreprocessError {
    /// An `#import` of a module that does not exist.
    #[error("{module}:{line}: no shader module is called `{name}`")]
    UnknownModule { module: String, line: usize, name: String },
    /// A condition that is empty, malformed, or names a feature that does not exist.
    #[error("{module}:{line}: `{condition}` is no condition over known features")]
    BadCondition { module: String, line: usize, condition: String },
    /// An `@else` or `@end` without `@if`, or an `@if` without `@end`.
    #[error("{module}:{line}: unbalanced `{directive}`")]
    Unbalanced { module: String, line: usize, directive: &'static str },
}

/// What the preprocessor asks of its surroundings.
pub(crate) trait Sources {
    /// The text of a module.
    fn module(&self, name: &str) -> Option<&str>;
    /// Whether a feature is on; `None` when there is no such feature.
    fn feature(&self, name: &str) -> Option<bool>;
}

/// The text of module `name` with imports pasted in and conditions decided.
pub(crate) fn preprocess(sources: &dyn Sources, name: &str) -> Result<String, PreprocessError> {
    let mut out = String::new();
    let mut seen = Vec::new();
    let text = sources.module(name).ok_or_else(|| PreprocessError::UnknownModule {
        module: name.into(),
        line: 0,
        name: name.into(),
    })?;
    paste(sources, name, text, &mut seen, &mut out)?;
    Ok(out)
}

/// One open `@if`.
struct Block {
    line: usize,
    /// Whether the lines around it are kept.
    outer: bool,
    /// Whether its own lines are kept now.
    keep: bool,
    in_else: bool,
}

fn paste(
    sources: &dyn Sources,
    module: &str,
    text: &str,
    seen: &mut Vec<String>,
    out: &mut String,
) -> Result<(), PreprocessError> {
    seen.push(module.into());
    let mut blocks: Vec<Block> = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let keep = blocks.last().is_none_or(|block| block.keep);
        let trimmed = raw.trim();
        let unbalanced =
            |directive| PreprocessError::Unbalanced { module: module.into(), line, directive };
        if let Some(rest) = trimmed.strip_prefix("#import") {
            let name = rest.trim();
            if keep && !seen.iter().any(|known| known == name) {
                let unknown = || PreprocessError::UnknownModule {
                    module: module.into(),
                    line,
                    name: name.into(),
                };
                let text = sources.module(name).ok_or_else(unknown)?;
                paste(sources, name, text, seen, out)?;
            }
        } else if let Some(rest) = trimmed.strip_prefix("@if(") {
            let (condition, body) = split_condition(rest).ok_or_else(|| bad(module, line, rest))?;
            // Decided even where the lines are dropped, so that a misspelt name never hides.
            let holds = evaluate(sources, condition).ok_or_else(|| bad(module, line, condition))?;
            if body.is_empty() {
                blocks.push(Block { line, outer: keep, keep: keep && holds, in_else: false });
            } else if keep && holds {
                out.push_str(body);
            }
        } else if trimmed == "@else" {
            let block = blocks.last_mut().filter(|block| !block.in_else);
            let block = block.ok_or_else(|| unbalanced("@else"))?;
            block.keep = block.outer && !block.keep;
            block.in_else = true;
        } else if trimmed == "@end" {
            blocks.pop().ok_or_else(|| unbalanced("@end"))?;
        } else if keep {
            out.push_str(raw);
        }
        out.push('\n');
    }
    match blocks.last() {
        Some(block) => Err(PreprocessError::Unbalanced {
            module: module.into(),
            line: block.line,
            directive: "@if",
        }),
        None => Ok(()),
    }
}

fn bad(module: &str, line: usize, condition: &str) -> PreprocessError {
    PreprocessError::BadCondition { module: module.into(), line, condition: condition.into() }
}

/// `skin) let x = 1;` → (`skin`, `let x = 1;`).
fn split_condition(rest: &str) -> Option<(&str, &str)> {
    let (condition, body) = rest.split_once(')')?;
    Some((condition.trim(), body.trim()))
}

fn evaluate(sources: &dyn Sources, condition: &str) -> Option<bool> {
    let mut any = false;
    for alternative in condition.split("||") {
        let mut all = true;
        for term in alternative.split("&&") {
            let term = term.trim();
            let name = term.trim_start_matches('!');
            let negated = (term.len() - name.len()) % 2 == 1;
            all &= sources.feature(name.trim())? != negated;
        }
        any |= all;
    }
    Some(any)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake(&'static [(&'static str, &'static str)], &'static [(&'static str, bool)]);

    impl Sources for Fake {
        fn module(&self, name: &str) -> Option<&str> {
            self.0.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
        }
        fn feature(&self, name: &str) -> Option<bool> {
            self.1.iter().find(|(known, _)| *known == name).map(|(_, on)| *on)
        }
    }

    #[track_caller]
    fn check(text: &'static str, expect: &str) {
        let modules = vec![("main", text), ("a", "A\n#import b"), ("b", "B\n#import a")].leak();
        let out = preprocess(&Fake(modules, &[("on", true), ("off", false)]), "main")
            .expect("a good source");
        let lines: Vec<_> = out.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.join("|"), expect, "{text}");
    }

    #[track_caller]
    fn check_error(text: &'static str, expect: &str) {
        let modules = vec![("main", text)].leak();
        let error = preprocess(&Fake(modules, &[("on", true), ("off", false)]), "main")
            .expect_err("a bad source");
        assert_eq!(error.to_string(), expect, "{text}");
    }

    #[test]
    fn imports_are_pasted_once_and_cycles_end() {
        check("#import a\n#import a\nx", "A|B|x");
        check_error("#import q", "main:1: no shader module is called `q`");
    }

    #[test]
    fn conditions_choose_lines() {
        check("@if(on)\nx\n@else\ny\n@end\nz", "x|z");
        check("@if(off)\nx\n@else\ny\n@end\nz", "y|z");
        check("@if(!off) x\n@if(off) y", "x");
        check("@if(on && off || on)\nx\n@end", "x");
        check("@if(on && !on || off)\nx\n@end", "");
        check("@if(off)\n@if(on)\nx\n@else\ny\n@end\n@else\nz\n@end", "z");
        check("@if(off)\n#import q\n@end\nx", "x");
    }

    #[test]
    fn lines_keep_their_numbers() {
        let out = preprocess(&Fake(&[("m", "a\n@if(on)\nb\n@end\nc")], &[("on", true)]), "m");
        assert_eq!(out.as_deref(), Ok("a\n\nb\n\nc\n"));
    }

    #[test]
    fn faults_are_named() {
        check_error("@else", "main:1: unbalanced `@else`");
        check_error("@if(on)\n@else\n@else\n@end", "main:3: unbalanced `@else`");
        check_error("x\n@end", "main:2: unbalanced `@end`");
        check_error("\n@if(on)\nx", "main:2: unbalanced `@if`");
        check_error("@if(nope)\n@end", "main:1: `nope` is no condition over known features");
        check_error("@if(on", "main:1: `on` is no condition over known features");
        check_error("@if()\n@end", "main:1: `` is no condition over known features");
        check_error(
            "@if(off)\n@if(no)\n@end\n@end",
            "main:2: `no` is no condition over known features",
        );
    }
}
