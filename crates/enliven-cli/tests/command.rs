//! The command as a person or a script sees it: help, errors, exit codes.

mod support;

use support::{asset, enliven};

#[test]
fn help_teaches_with_examples() {
    let help = enliven(&["--help"]);
    assert_eq!(help.code, 0);
    assert!(help.out.contains("Exit codes"), "{}", help.out);
    for task in
        ["inspect", "render", "play", "bake", "convert", "export-shader", "completions", "man"]
    {
        assert!(help.out.contains(task), "{task} is missing in {}", help.out);
        let help = enliven(&[task, "--help"]);
        assert_eq!(help.code, 0, "{task}");
        assert!(help.out.contains("Examples:\n  enliven "), "{task} has no examples: {}", help.out);
    }
}

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    for arguments in [
        &[][..],
        &["fly"],
        &["inspect"],
        &["inspect", "a.glb", "--colour"],
        &["render", "rabbit"],
        &["render", "rabbit", "-o", "a.png", "--size", "0x0"],
        &["render", "rabbit", "-o", "a.png", "--fps", "0"],
        &["render", "rabbit", "-o", "a.png", "--camera", "sideways"],
        &["render", "rabbit", "-o", "a.png", "--background", "mauve-ish"],
        &["render", "rabbit", "-o", "a.avi"],
    ] {
        let result = enliven(arguments);
        assert_eq!(result.code, 2, "{arguments:?}: {}", result.err);
        assert!(!result.err.is_empty(), "{arguments:?} says nothing");
    }
}

#[test]
fn a_clip_that_is_not_there_names_those_that_are() {
    let fox = asset("Fox.glb");
    let result = enliven(&["render", &fox, "-o", "never.png", "--clip", "Fly"]);
    assert_eq!(result.code, 2);
    assert!(result.err.contains("error[CLI_CLIP_UNKNOWN]"), "{}", result.err);
    assert!(result.err.contains("Survey, Walk, Run"), "{}", result.err);
    assert!(!std::path::Path::new("never.png").exists());
}

#[test]
fn an_input_that_cannot_be_read_is_exit_code_1_and_one_coded_error() {
    let result = enliven(&["inspect", "no-such-file.glb"]);
    assert_eq!(result.code, 1);
    assert!(result.err.starts_with("error[CLI_SUBJECT_UNKNOWN]: "), "{}", result.err);
    assert!(result.err.contains("rabbit"), "the built-ins are named: {}", result.err);

    let scratch = support::Scratch::new();
    let broken = scratch.path("broken.glb");
    let mut bytes = std::fs::read(asset("Fox.glb")).unwrap();
    bytes.truncate(1000);
    std::fs::write(&broken, bytes).unwrap();
    for task in [&["inspect", &broken][..], &["render", &broken, "-o", "never.png"]] {
        let result = enliven(task);
        assert_eq!(result.code, 1, "{task:?}: {}", result.err);
        assert_eq!(result.err.matches("error[").count(), 1, "{}", result.err);
        assert!(result.err.contains("error[GLB_"), "{}", result.err);
    }

    let result = enliven(&["inspect", &broken, "--json"]);
    assert_eq!(result.code, 1);
    let json: serde_json::Value = serde_json::from_str(&result.out).unwrap();
    assert!(json["error"]["code"].as_str().unwrap().starts_with("GLB_"), "{json}");
    assert!(json["error"]["message"].is_string());
}

#[test]
fn completions_and_manual_pages_know_every_subcommand() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let result = enliven(&["completions", shell]);
        assert_eq!(result.code, 0);
        for word in ["inspect", "render", "--camera", "bake", "--tolerance", "convert"] {
            assert!(result.out.contains(word.trim_start_matches('-')), "{shell}: no {word}");
        }
    }
    assert!(enliven(&["man"]).out.contains(".TH enliven 1"));
    let scratch = support::Scratch::new();
    let folder = scratch.path("man1");
    assert_eq!(enliven(&["man", &folder]).code, 0);
    for page in ["enliven.1", "enliven-render.1", "enliven-bake.1", "enliven-convert.1"] {
        assert!(std::path::Path::new(&folder).join(page).exists(), "{page}");
    }
}

#[test]
fn text_is_coloured_on_a_terminal_only() {
    let fox = asset("Fox.glb");
    let result = enliven(&["inspect", &fox]);
    assert_eq!(result.code, 0, "{}", result.err);
    assert!(!result.out.contains('\u{1b}'), "escapes in a pipe");
}
