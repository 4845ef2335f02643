//! Who may know whom.

use super::{Finding, Tree};

/// The table of ARCHITECTURE.md: a package, and the packages of this repository that it may
/// depend on. A change here is a change of the architecture: make it on purpose, in both places.
const ALLOWED: &[(&str, &[&str])] = &[
    ("enliven", &[]),
    ("enliven-io", &["enliven"]),
    ("enliven-render", &["enliven"]),
    ("enliven-voice", &["enliven"]),
    ("enliven-server", &["enliven", "enliven-io", "enliven-voice"]),
    ("enliven-studio", &["enliven", "enliven-io", "enliven-render", "enliven-voice"]),
    (
        "enliven-cli",
        &["enliven", "enliven-io", "enliven-render", "enliven-voice", "enliven-server"],
    ),
    ("enliven-web", &["enliven", "enliven-io"]),
    ("bevy_enliven", &["enliven", "enliven-io"]),
    ("enliven-digest", &["enliven", "enliven-io"]),
    ("enliven-testing", &[]),
    ("xtask", &[]),
    ("vrm-bench", &["enliven", "enliven-io"]),
];

/// What the core may use from outside: small crates that know no file, clock, GPU or thread.
const CORE: &[&str] = &["glam", "libm", "thiserror", "serde", "toml", "fearless_simd"];

/// Reads every manifest and reports the edges that the table lacks. Dev-dependencies are free:
/// a test may bring together what the code itself keeps apart.
pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for file in tree.files.iter().filter(|file| file.ends_with("Cargo.toml")) {
        let text = tree.text(file).unwrap_or_default();
        let manifest = match text.parse::<toml::Table>() {
            Ok(manifest) => manifest,
            Err(error) => {
                findings.push(Finding::new(file, format!("unreadable: {error}")));
                continue;
            }
        };
        let package = manifest.get("package").and_then(|package| package.get("name"));
        if let Some(package) = package.and_then(toml::Value::as_str) {
            check_package(file, package, &dependencies(&manifest), findings);
        }
    }
}

fn check_package(file: &str, package: &str, edges: &[String], findings: &mut Vec<Finding>) {
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == package) else {
        let message = format!("`{package}` has no row in xtask/src/tidy/edges.rs");
        findings.push(Finding::new(file, message));
        return;
    };
    for edge in edges {
        let ours = ALLOWED.iter().any(|(name, _)| name == edge);
        if ours && !allowed.contains(&edge.as_str()) {
            findings.push(Finding::new(file, format!("`{package}` must not know `{edge}`")));
        }
        if package == "enliven" && !ours && !CORE.contains(&edge.as_str()) {
            let message = format!("the core must stay small and pure: `{edge}` is not on its list");
            findings.push(Finding::new(file, message));
        }
    }
}

/// The packages that a manifest names in its dependency tables, those of single targets included.
fn dependencies(manifest: &toml::Table) -> Vec<String> {
    let mut names = Vec::new();
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let targets = targets.into_iter().flat_map(|t| t.values()).filter_map(toml::Value::as_table);
    for table in std::iter::once(manifest).chain(targets) {
        for kind in ["dependencies", "build-dependencies"] {
            let Some(entries) = table.get(kind).and_then(toml::Value::as_table) else { continue };
            for (key, value) in entries {
                let renamed = value.get("package").and_then(toml::Value::as_str);
                names.push(renamed.unwrap_or(key).to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scratch;
    use super::check;

    fn findings(manifest: &str) -> Vec<String> {
        Scratch::new(&[("crates/a/Cargo.toml", manifest)]).findings(check)
    }

    #[test]
    fn an_edge_of_the_table_passes() {
        let manifest = "[package]\nname = \"enliven-io\"\n[dependencies]\nenliven.workspace = true\n\
                        serde = \"1\"\n[dev-dependencies]\nenliven-render.workspace = true";
        assert_eq!(findings(manifest), Vec::<String>::new());
    }

    #[test]
    fn other_edges_are_found_under_any_name_and_for_any_target() {
        for dependency in [
            "[dependencies]\nenliven-render.workspace = true",
            "[dependencies]\npictures = { package = \"enliven-render\", path = \".\" }",
            "[build-dependencies]\nenliven-render = \"1\"",
            "[target.'cfg(unix)'.dependencies]\nenliven-render = \"1\"",
        ] {
            let manifest = format!("[package]\nname = \"enliven-io\"\n{dependency}");
            let expected = "crates/a/Cargo.toml: `enliven-io` must not know `enliven-render`";
            assert_eq!(findings(&manifest), [expected], "{dependency}");
        }
    }

    #[test]
    fn the_core_takes_no_heavy_crate() {
        let manifest = "[package]\nname = \"enliven\"\n[dependencies]\nglam = \"1\"\ntokio = \"1\"";
        assert_eq!(findings(manifest).len(), 1);
    }

    #[test]
    fn a_package_without_a_row_is_found() {
        assert_eq!(findings("[package]\nname = \"enliven-new\"").len(), 1);
    }
}
