//! Every shipped asset is credited.

use super::{Finding, Tree};

/// What `assets/` may hold beside assets: texts about them.
fn is_text(file: &str) -> bool {
    file.ends_with(".md") || file.starts_with("assets/licences/")
}

/// Each file of `assets/` has a row in its README and a line in NOTICE.
pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    let notice = tree.text("NOTICE").unwrap_or_default();
    let readme = tree.text("assets/README.md").unwrap_or_default();
    for file in tree.files.iter().filter(|file| file.starts_with("assets/") && !is_text(file)) {
        let name = file.trim_start_matches("assets/");
        for (document, text) in [("NOTICE", &notice), ("assets/README.md", &readme)] {
            if !text.contains(name) {
                findings.push(Finding::new(file, format!("not named in {document}")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scratch;
    use super::check;

    #[test]
    fn an_asset_without_its_credit_is_found() {
        let files = [
            ("assets/Fox.glb", ""),
            ("assets/Cat.glb", ""),
            ("assets/licences/MIT.txt", ""),
            ("assets/README.md", "Fox.glb Cat.glb"),
            ("NOTICE", "assets/Fox.glb: by somebody"),
        ];
        let findings = Scratch::new(&files).findings(check);
        assert_eq!(findings, ["assets/Cat.glb: not named in NOTICE"]);
    }
}
