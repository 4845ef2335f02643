//! `enliven export-shader`.

use std::path::{Path, PathBuf};

use clap::Args;
use enliven::{Affine, Binding, Character};
use enliven_io::gltf::{Clips, Export, export};
use enliven_render::{ThreeOptions, ThreeShader, three_shader};
use serde_json::{Value, json};

use crate::failure::{Code, Failure};
use crate::subject::Subject;

/// Write the vertex function as GLSL for three.js.
///
/// The chunks are translated from the same source that enliven draws with, so that a page poses a
/// model exactly as enliven does: joints, wind, waves, and fur as instanced shells that three.js
/// cannot grow on a skinned mesh. Every uniform is named and explained in `enliven.json`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  enliven export-shader rig.toml --model monster.glb -o page/      chunks, joints and the model with its skin
  enliven export-shader rig.toml -o page/ --fur --sway             chunks alone

Written: enliven_pars_vertex.glsl, enliven_beginnormal_vertex.glsl, enliven_begin_vertex.glsl,
enliven.js (puts them into a material), enliven.json (uniforms, joints), and model.glb with --model.")]
pub(super) struct ExportShader {
    /// The rig file that `enliven rig` wrote.
    #[arg(value_name = "RIG.toml")]
    rig: PathBuf,

    /// The static model that the rig is of: it is written with the joints and weights that the
    /// rig gives it.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    /// The folder to write to; it is made if it is not there.
    #[arg(short, long = "out", value_name = "FOLDER")]
    out: PathBuf,

    /// Shells of fur, one an instance.
    #[arg(long)]
    fur: bool,

    /// Plants and cloth that sway.
    #[arg(long)]
    sway: bool,

    /// Waves of water.
    #[arg(long)]
    water: bool,
}

impl ExportShader {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let file = crate::options::read_rig(&self.rig)?;
        let Some(anatomy) = &file.anatomy else {
            let message =
                format!("{}: has no [body], so that nothing is posed", self.rig.display());
            return Err(Failure::new(Code::Option, message));
        };
        let mut influences = 4;
        let mut bound = None;
        if let Some(model) = &self.model {
            let subject = Subject::open_static(model)?;
            let made = enliven::field::bind(&subject.character, anatomy).map_err(|error| {
                let message = format!("{} does not fit {model}: {error}", self.rig.display());
                Failure::new(Code::Unreadable("RIG_DOES_NOT_FIT"), message)
            })?;
            let widest =
                made.character.meshes.iter().filter_map(|mesh| {
                    mesh.geometry.influences.as_ref().map(|list| list.per_vertex)
                });
            influences = widest.max().map_or(4, |most| if most > 4 { 8 } else { 4 });
            bound = Some(made.character);
        }
        let options =
            ThreeOptions { influences, fur: self.fur, sway: self.sway, water: self.water };
        let shader = three_shader(&options);
        std::fs::create_dir_all(&self.out).map_err(|error| Failure::output(&self.out, &error))?;
        let about = about(&shader, bound.as_ref());
        for (name, text) in [
            ("enliven_pars_vertex.glsl", &shader.pars),
            ("enliven_beginnormal_vertex.glsl", &shader.begin_normal),
            ("enliven_begin_vertex.glsl", &shader.begin_vertex),
            ("enliven.js", &include_str!("export_shader.js").to_owned()),
            ("enliven.json", &format!("{about:#}\n")),
        ] {
            write(&self.out.join(name), text.as_bytes())?;
        }
        if let Some(character) = &bound {
            let written = export(&Export { character, document: None, clips: Clips::Own });
            let path = self.out.join("model.glb");
            let bytes = written.to_glb().map_err(|error| {
                Failure::new(Code::Output, format!("{}: {error}", path.display()))
            })?;
            write(&path, &bytes)?;
        }
        Ok(())
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| Failure::output(path, &error))
}

/// What a page has to know: the uniforms, and the entries of the palette with their meshes.
fn about(shader: &ThreeShader, character: Option<&Character>) -> Value {
    let uniforms: Vec<Value> = shader
        .uniforms
        .iter()
        .map(|u| json!({ "name": u.name, "type": u.kind, "meaning": u.meaning }))
        .collect();
    let mut out = json!({ "uniforms": uniforms });
    if let Some(character) = character {
        let skeleton = &character.rig.skeleton;
        let joints: Vec<Value> = skeleton
            .joints()
            .map(|joint| {
                let parent = skeleton.parent(joint).map(|parent| parent.index());
                json!({ "name": skeleton.name(joint), "parent": parent })
            })
            .collect();
        let meshes: Vec<Value> = (0..character.meshes.len()).map(|i| mesh(character, i)).collect();
        out["joints"] = joints.into();
        out["meshes"] = meshes.into();
    }
    out
}

/// A mesh: where its part of the palette begins, and what each entry there is the product of.
fn mesh(character: &Character, index: usize) -> Value {
    let mesh = &character.meshes[index];
    let entry = |joint: enliven::JointId, inverse: &Affine| json!({ "joint": joint.index(), "inverseBind": inverse.rows });
    let entries: Vec<Value> = match mesh.binding {
        Binding::Skin(skin) => {
            let skin = &character.skins[skin.index()];
            skin.joints.iter().zip(&skin.inverse_binds).map(|(j, m)| entry(*j, m)).collect()
        }
        Binding::Rigid(joint) => vec![entry(joint, &Affine::IDENTITY)],
    };
    let base = character.palette_layout().base(index);
    json!({ "name": mesh.name, "paletteBase": base, "entries": entries })
}
