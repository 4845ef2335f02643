//! `enliven check`.

mod support;

use support::{Scratch, program, run};

#[test]
fn the_drift_holds_its_figures_and_a_spoiled_one_does_not() {
    let good = run(&mut program(&["check", "drift", "--json"]));
    assert_eq!(good.code, 0, "{}\n{}", good.out, good.err);
    let told: serde_json::Value = serde_json::from_str(&good.out).unwrap();
    let figures = told["figures"].as_array().unwrap();
    assert!(figures.len() > 15);
    for name in ["calm.bend.least", "rowing.bend.most", "stop.forward", "blink.double", "lead.eyes"]
    {
        let f = figures.iter().find(|f| f["name"] == name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(f["holds"], true, "{f}");
        let (value, low) = (f["value"].as_f64().unwrap(), f["range"][0].as_f64().unwrap());
        assert!(value >= low, "{f}");
    }

    let scratch = Scratch::new();
    let spoiled = [
        ("[leaf]\ndrag = 0.012\n", "calm.bend.most"),
        ("[mind.blink]\ninterval = [8, 12]\n", "blink.interval.most"),
    ];
    for (text, name) in spoiled {
        let path = scratch.path("spoiled.toml");
        std::fs::write(&path, text).unwrap();
        let bad = run(&mut program(&["check", "drift", "--rig", &path]));
        assert_eq!(bad.code, 1, "{name}: {}", bad.out);
        assert!(bad.err.contains("CLI_OUT_OF_RANGE") && bad.err.contains(name), "{}", bad.err);
        let line = bad.out.lines().find(|l| l.contains(name)).unwrap_or_default();
        assert!(line.contains("WRONG"), "{line}");
    }
}

#[test]
fn what_cannot_be_judged_is_said() {
    let result = run(&mut program(&["check", "nothing"]));
    assert_eq!(result.code, 2);
    assert!(result.err.contains("check drift"), "{}", result.err);
}
