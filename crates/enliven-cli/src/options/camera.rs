//! `--camera three-quarter` or `--camera 'eye=2,1,3 target=0,0.5,0 fov=35'`.

use std::str::FromStr;

use enliven_render::Framing;

/// Where the picture is taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Camera {
    /// By name: the distance is chosen so that the subject fills the picture.
    Framing(Framing),
    /// By place.
    Place {
        /// Where the eye is, metres.
        eye: [f32; 3],
        /// What it looks at, metres; the middle of the subject where left out.
        target: Option<[f32; 3]>,
        /// Vertical field of view, degrees, more than 0 and less than 180.
        fov: f32,
    },
}

impl Camera {
    /// Vertical field of view where none is given, degrees: a portrait lens, little distortion.
    pub const FOV: f32 = 30.0;
}

impl FromStr for Camera {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match Framing::named(&text.trim().to_ascii_lowercase()) {
            Some(framing) => Ok(Self::Framing(framing)),
            None => place(text),
        }
    }
}

fn place(text: &str) -> Result<Camera, String> {
    let (mut eye, mut target, mut fov) = (None, None, Camera::FOV);
    for word in text.split_whitespace() {
        match word.split_once('=') {
            Some(("eye", value)) => eye = Some(point(value)?),
            Some(("target", value)) => target = Some(point(value)?),
            Some(("fov", value)) => {
                fov = value
                    .parse()
                    .ok()
                    .filter(|fov| *fov > 0.0 && *fov < 180.0)
                    .ok_or_else(|| format!("`{word}`: a field of view is 0 to 180 degrees"))?;
            }
            _ => {
                let names = Framing::ALL.map(|(_, name)| name).join(", ");
                return Err(format!(
                    "`{word}` is no camera: use {names}, or `eye=X,Y,Z target=X,Y,Z fov=DEGREES`"
                ));
            }
        }
    }
    let eye = eye.ok_or("a camera by place needs `eye=X,Y,Z`")?;
    if target == Some(eye) {
        return Err("the eye cannot look at the place where it is".to_owned());
    }
    Ok(Camera::Place { eye, target, fov })
}

fn point(text: &str) -> Result<[f32; 3], String> {
    let complaint = || format!("`{text}`: a point is X,Y,Z in metres, like 2,1.2,3");
    let mut numbers = text.split(',').map(|part| part.parse::<f32>().ok());
    let mut next = || numbers.next().flatten().filter(|n| n.is_finite()).ok_or_else(complaint);
    let point = [next()?, next()?, next()?];
    if numbers.next().is_some() { Err(complaint()) } else { Ok(point) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras() {
        assert_eq!("front".parse(), Ok(Camera::Framing(Framing::Front)));
        let place = Camera::Place { eye: [2.0, 1.0, -3.5], target: None, fov: Camera::FOV };
        assert_eq!("eye=2,1,-3.5".parse(), Ok(place));
        let place =
            Camera::Place { eye: [0.0, 1.0, 3.0], target: Some([0.0, 1.0, 0.0]), fov: 50.0 };
        assert_eq!("fov=50 eye=0,1,3  target=0,1,0".parse(), Ok(place));
        for wrong in [
            "",
            "sideways",
            "target=1,2,3",
            "eye=1,2",
            "eye=1,2,3,4",
            "eye=1,2,NaN",
            "eye=1,2,3 target=1,2,3",
            "eye=1,2,3 fov=0",
            "eye=1,2,3 fov=180",
            "eye=1,2,3 lens=50",
        ] {
            assert!(wrong.parse::<Camera>().is_err(), "{wrong}");
        }
    }
}
