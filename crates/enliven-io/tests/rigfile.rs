//! A rig file is written, read, corrected and refused.

use enliven::builtin::{creature_anatomy, creature_statue};
use enliven::field::{Falloff, Prop};
use enliven::glam::Vec3;
use enliven::leaf::LeafParams;
use enliven::measure::measure;
use enliven::{MindParams, Mood};
use enliven_io::rigfile::{RigFile, RigFileError};

fn creature() -> RigFile {
    RigFile {
        anatomy: Some(creature_anatomy()),
        mind: MindParams::default(),
        leaf: LeafParams::default(),
    }
}

#[test]
fn what_is_written_is_read_back_to_the_bit() {
    let mut file = creature();
    file.mind.mood = Mood::SLEEPY;
    file.leaf.drag = 1.0 / 300.0;
    let anatomy = file.anatomy.as_mut().expect("has one");
    let odd = Falloff::Any(vec![
        Falloff::Everywhere,
        Falloff::Sphere { center: Vec3::new(0.1, -1e-9, 1e7), radius: 0.3, soft: 1.0 / 3.0 },
        Falloff::Capsule { a: Vec3::X, b: Vec3::Y, radius: 0.1, soft: 0.0 },
        Falloff::Box { low: Vec3::NEG_ONE, high: Vec3::ONE, soft: 0.5 },
        Falloff::Color { rgb: Vec3::splat(0.25), within: 0.1, soft: 0.1 },
        Falloff::Not(Box::new(Falloff::Part("a \"quoted\" \\ name\nof two lines".into()))),
        Falloff::Piece(Vec3::new(0.1, 0.2, 0.3)),
    ]);
    anatomy.eyes[0].field = odd;
    anatomy.ears[1].side = None;
    anatomy.prop = Some(Prop {
        grip: Vec3::X,
        top: Vec3::new(1.0, 0.7, 0.1),
        radius: 0.3,
        stem: Falloff::Part("stem".into()),
        blade: Falloff::Part("blade".into()),
    });
    let text = file.write("a\nmodel", &[]);
    assert_eq!(RigFile::parse(&text).expect("reads back"), file, "{text}");
    let m = measure(&creature_statue());
    let file = RigFile {
        anatomy: Some(m.anatomy),
        mind: MindParams::default(),
        leaf: LeafParams::default(),
    };
    let text = file.write("creature", &m.diagnostics);
    assert!(text.contains("EARS_GUESSED"), "findings are told");
    assert_eq!(RigFile::parse(&text).expect("reads back"), file);
}

#[test]
fn a_few_lines_are_enough() {
    let file = RigFile::parse(
        "[body]\nbase = 0.0\nheight = 1.5\n\n[mind.mood]\nliveliness = 0.25\n\n[mind.blink]\ninterval = [1, 2]\n",
    )
    .expect("reads");
    let anatomy = file.anatomy.expect("a body");
    assert_eq!((anatomy.height, anatomy.front, anatomy.eyes.len()), (1.5, Vec3::Z, 0));
    assert_eq!((file.mind.mood.liveliness, file.mind.blink.interval), (0.25, [1.0, 2.0]));
    assert_eq!(file.mind.gaze, MindParams::default().gaze);
    assert_eq!(RigFile::parse("").expect("reads").anatomy, None);
}

#[test]
fn faults_are_named_with_their_place() {
    let syntax = |text: &str, line: usize, word: &str| {
        let e = RigFile::parse(text).expect_err(text);
        assert_eq!(e.code(), "RIG_FILE_SYNTAX");
        let RigFileError::Syntax { line: l, ref message, .. } = e else { panic!("{e}") };
        assert_eq!(l, line, "{e}");
        assert!(message.contains(word), "{message}");
    };
    syntax("[body]\nbase = 0\nheigth = 1\n", 3, "heigth");
    syntax("[body]\nbase = 0\nheight = \"tall\"\n", 3, "string");
    syntax("[[eye]]\nside = \"up\"\n", 2, "up");
    syntax("[body\n", 1, "");
    syntax("[mind.gaze]\nhead_rat = 3\n", 2, "head_rat");
    let value = |text: &str, place: &str| {
        let e = RigFile::parse(text).expect_err(text);
        assert_eq!(e.code(), "RIG_FILE_VALUE");
        assert!(e.to_string().contains(place), "{e}");
    };
    value("[body]\nbase = 0\nheight = 0\n", "height");
    value("[body]\nbase = nan\nheight = 1\n", "base");
    value("[body]\nbase = 0\nheight = 1\nfront = [0, 1, 0]\n", "front");
    value("[belly]\ncenter = [0, 0, 0]\npush = 0.1\nfield = \"everywhere\"\n", "[body]");
    value("[mind.blink]\nclose = -1\n", "mind.blink.close");
    value("[mind.mood]\nliveliness = inf\n", "mind.mood.liveliness");
}
