//! Skins against three.js: inverses, matrices, bind modes, weights, bounds, morphs.

mod parity;

use enliven::glam::{Quat, Vec3};
use enliven::{
    Aabb, Affine, Bind, BindMode, Binding, Channel, ChannelKind, Channels, Character,
    CharacterParts, Geometry, Influences, JointId, MaterialId, Mesh, Meta, MorphTarget, Pose,
    Regions, Rig, Skeleton, Skin, SkinId, Sphere, Transform, VertexStage, palette_texture_side,
};
use parity::{Ours, Outcome, agree, doubles, floats, index, list, num, nums, text_of};
use serde_json::Value;
use std::sync::Arc;

const TOLERANCE: f64 = 1e-5;

fn vec3s(v: &Value) -> Vec<Vec3> {
    floats(v).chunks_exact(3).map(Vec3::from_slice).collect()
}

fn transform(n: &Value, base: Transform) -> Transform {
    let three = |v: &Value, or| {
        let v = floats(v);
        if v.len() == 3 { Vec3::from_slice(&v) } else { or }
    };
    let r = floats(&n["r"]);
    Transform {
        translation: three(&n["t"], base.translation),
        rotation: if r.len() == 4 { Quat::from_slice(&r) } else { base.rotation },
        scale: three(&n["s"], base.scale),
    }
}

fn affine(v: &Value) -> Affine {
    let v = floats(v);
    let mut m = [0.0; 16];
    m.copy_from_slice(&v[..16]);
    Affine::from_cols_array(&m)
}

fn cols(m: &Affine) -> Vec<f64> {
    doubles(&m.to_mat4().to_cols_array())
}

/// What a script of the suite acts on.
struct Scene {
    rig: Rig,
    /// Joint of each node.
    nodes: Vec<JointId>,
    /// A missing bone of the list is a joint of its own, which never moves.
    skin: Skin,
    mesh: Option<(JointId, Bind)>,
    geometry: Geometry,
    pose: Pose,
    model: Vec<Affine>,
}

impl Scene {
    fn new(input: &Value) -> Self {
        let nodes = list(&input["nodes"]);
        let mut skeleton = Skeleton::new();
        let mut joints: Vec<Option<JointId>> = vec![None; nodes.len()];
        while let Some(i) = (0..nodes.len()).find(|&i| {
            let p = num(&nodes[i]["parent"]);
            joints[i].is_none() && (p < 0.0 || joints[p as usize].is_some())
        }) {
            let n = &nodes[i];
            let parent = n["parent"].as_u64().and_then(|p| joints[p as usize]);
            let rest = transform(n, Transform::IDENTITY);
            let joint = skeleton.push(text_of(&n["name"]), parent, rest);
            joints[i] = Some(joint.expect("the parent was added"));
        }
        let nodes: Vec<JointId> = joints.into_iter().map(|j| j.expect("a tree")).collect();
        let nowhere = skeleton.push("", None, Transform::IDENTITY).expect("a root");
        let bones = list(&input["bones"]).iter();
        let joints = bones.map(|b| b.as_u64().map_or(nowhere, |b| nodes[b as usize])).collect();
        let model = skeleton.rest_model();
        let mut skin = Skin::bind("s", joints, &model);
        if !input["bone_inverses"].is_null() {
            skin.inverse_binds = list(&input["bone_inverses"]).iter().map(affine).collect();
        }
        let m = &input["mesh"];
        let mut geometry = Geometry { positions: vec3s(&m["position"]), ..Geometry::default() };
        geometry.influences = Some(Influences {
            per_vertex: 4,
            joints: floats(&m["skin_index"]).iter().map(|j| *j as u16).collect(),
            weights: floats(&m["skin_weight"]),
        });
        for p in list(&m["morphs"]) {
            let positions = vec3s(p);
            geometry.morphs.push(if m["morph_relative"] == true {
                MorphTarget { positions, ..MorphTarget::default() }
            } else {
                MorphTarget::from_absolute("", &geometry.positions, &positions)
            });
        }
        let mut channels = Channels::new();
        for i in 0..geometry.morphs.len() {
            let weight = num(&m["influences"][i]) as f32;
            channels.push(Channel::new("", ChannelKind::Morph).with_default(weight));
        }
        let mesh = (!m.is_null()).then(|| {
            let node = nodes[index(&m["node"])];
            let matrix = match m["bind"].as_str() {
                Some("identity") => Affine::IDENTITY,
                Some(_) => model[node.index()],
                None => affine(&m["bind"]),
            };
            let mode = match text_of(&m["bind_mode"]) {
                "detached" => BindMode::Detached,
                _ => BindMode::Attached,
            };
            (node, Bind { mode, matrix })
        });
        let regions = Regions::new(&skeleton, &[]);
        let rig = Rig::new(skeleton, channels, regions, 1.0);
        let pose = Pose::rest(&rig);
        Self { rig, nodes, skin, mesh, geometry, pose, model }
    }

    fn update(&mut self) {
        self.pose.to_model(&self.rig.skeleton, &mut self.model);
    }

    fn matrices(&self) -> Vec<Affine> {
        let mut out = vec![Affine::IDENTITY; self.skin.joints.len()];
        self.skin.matrices(&self.model, &mut out);
        out
    }

    /// The mesh's node and the way back from bind space.
    fn bound(&self) -> Result<(Affine, Bind, Affine), String> {
        let (node, bind) = self.mesh.ok_or("no mesh")?;
        let node = self.model[node.index()];
        Ok((node, bind, bind.inverse(&node).ok_or("no inverse")?))
    }

    /// Deformed vertices in the mesh's own space, through the vertex function of the crate.
    fn vertices(&self) -> Result<Vec<Vec3>, String> {
        let (node, bind, _) = self.bound()?;
        let mesh = Mesh {
            name: String::new(),
            joint: JointId(0),
            geometry: Arc::new(self.geometry.clone()),
            material: MaterialId(0),
            binding: Binding::Skin(SkinId(0)),
            morphs: 0..self.rig.channels.len() as u32,
            shown: true,
        };
        let character = Character::new(CharacterParts {
            name: String::new(),
            rig: self.rig.clone(),
            meshes: vec![mesh],
            skins: vec![self.skin.for_space(&bind.matrix)],
            materials: Vec::new(),
            textures: Vec::new(),
            images: Vec::new(),
            clips: Vec::new(),
            meta: Meta::default(),
        })
        .map_err(|e| e.to_string())?;
        let mut palette = vec![Affine::IDENTITY; character.palette_layout().len()];
        character.palette_layout().write(&self.model, &mut palette);
        let none = Transform::IDENTITY;
        let stage = VertexStage::new(&character, 0, &palette, self.pose.channels(), &none);
        let carrier = bind.carrier(&node).ok_or("no carrier")?;
        let home = node.inverse().ok_or("the node has no inverse")? * carrier;
        let n = self.geometry.vertex_count();
        Ok((0..n).map(|v| home.transform_point(stage.position(v))).collect())
    }

    fn step(&mut self, step: &Value) -> Outcome {
        let expect = &step["expect"];
        match text_of(&step["call"]) {
            "set_node" => {
                let joint = self.nodes[index(&step["node"])];
                let t = transform(step, self.pose.transform(joint));
                self.pose.set_transform(joint, &t);
            }
            "set_influences" => {
                self.pose.channels_mut().copy_from_slice(&floats(&step["influences"]));
            }
            "update" => {
                self.update();
                matrices("bone", &self.matrices(), &expect["bone_matrices"])?;
                if !expect["bind_matrix"].is_null() {
                    let (_, bind, inverse) = self.bound()?;
                    agree("bind", &cols(&bind.matrix), &nums(&expect["bind_matrix"]), TOLERANCE)?;
                    let want = nums(&expect["bind_matrix_inverse"]);
                    agree("bind inverse", &cols(&inverse), &want, TOLERANCE)?;
                }
            }
            "inverses" => matrices("inverse", &self.skin.inverse_binds, &expect["bone_inverses"])?,
            "calculate_inverses" => {
                self.skin.calculate_inverses(&self.model);
                matrices("inverse", &self.skin.inverse_binds, &expect["bone_inverses"])?;
            }
            "pose" => {
                self.skin.reset_pose(&self.rig.skeleton, &mut self.pose);
                for (i, want) in list(&expect["nodes"]).iter().enumerate() {
                    let t = self.pose.transform(self.nodes[i]);
                    let [p, r, s] = [0, 1, 2].map(|k| nums(&want[k]));
                    agree("t", &doubles(&t.translation.to_array()), &p, TOLERANCE)?;
                    agree("s", &doubles(&t.scale.to_array()), &s, TOLERANCE)?;
                    let q = doubles(&t.rotation.to_array());
                    let turned: Vec<f64> = q.iter().map(|v| -v).collect();
                    agree("r", &q, &r, TOLERANCE)
                        .or_else(|e| agree("-r", &turned, &r, TOLERANCE).map_err(|_| e))?;
                }
            }
            "normalize_skin_weights" => {
                let f = self.geometry.influences.as_mut().ok_or("no influences")?;
                f.normalize(1e-6);
                agree("weights", &doubles(&f.weights), &nums(&expect["skin_weight"]), TOLERANCE)?;
            }
            "vertices" => {
                let got = self.vertices()?;
                for (got, want) in got.iter().zip(list(&expect["vertices"])) {
                    agree("vertex", &doubles(&got.to_array()), &nums(want), TOLERANCE)?;
                }
                agree("count", &[got.len() as f64], &[list(&expect["vertices"]).len() as f64], 0.)?;
            }
            "apply_bone_transform" | "apply_bone_transform4" => {
                let (_, bind, inverse) = self.bound()?;
                let skin = self.skin.for_space(&bind.matrix);
                let mut m = vec![Affine::IDENTITY; skin.joints.len()];
                skin.matrices(&self.model, &mut m);
                let f = self.geometry.influences.as_ref().ok_or("no influences")?;
                let m = f.blend(index(&step["index"]), &m);
                let p = floats(&step["point"]);
                let (xyz, w) = (Vec3::from_slice(&p), p.get(3).copied().unwrap_or(1.0));
                let moved = m.transform_vector(xyz) + m.translation() * w;
                let back = inverse.transform_vector(moved) + inverse.translation() * w;
                let mut got = doubles(&back.to_array());
                got.extend(p.get(3).map(|w| f64::from(*w)));
                agree("point", &got, &nums(&expect["point"]), TOLERANCE)?;
            }
            "bounds" => {
                let got = self.vertices()?;
                let b = Aabb::of(got.iter().copied());
                let s = Sphere::of(got.iter().copied());
                let check = |what, got: Vec3, want: &Value| {
                    agree(what, &doubles(&got.to_array()), &nums(want), TOLERANCE)
                };
                check("min", b.min, &expect["box_min"])?;
                check("max", b.max, &expect["box_max"])?;
                check("center", s.center, &expect["sphere_center"])?;
                let want = [num(&expect["sphere_radius"])];
                agree("radius", &[f64::from(s.radius)], &want, TOLERANCE)?;
            }
            "bone_by_name" => {
                let found = self.skin.find(&self.rig.skeleton, text_of(&step["query"]));
                let got = found.map_or(-1.0, |j| j as f64);
                agree("bone", &[got], &[num(&expect["bone"])], 0.0)?;
            }
            "clone" => {
                let copy = self.skin.clone();
                if copy != self.skin {
                    return Err("a clone differs".into());
                }
            }
            "texture_size" => {
                let side = palette_texture_side(index(&step["bones"])) as f64;
                let want = ["width", "height", "floats"].map(|k| num(&expect[k]));
                agree("size", &[side, side, side * side * 4.0], &want, 0.0)?;
            }
            other => return Err(format!("unknown call {other}")),
        }
        Ok(())
    }
}

fn matrices(what: &str, got: &[Affine], want: &Value) -> Outcome {
    agree(what, &[got.len() as f64], &[list(want).len() as f64], 0.0)?;
    for (got, want) in got.iter().zip(list(want)) {
        agree(what, &cols(got), &nums(want), TOLERANCE)?;
    }
    Ok(())
}

fn run(case: &Value) -> Outcome {
    let mut scene = Scene::new(&case["input"]);
    list(&case["steps"]).iter().try_for_each(|s| scene.step(s))
}

#[test]
fn parity_skeleton() {
    let ours = [
        Ours {
            name: "pose() after moving, armature",
            why: "a parent outside the skin counts: the joints return to their bind matrices",
            check: |case| {
                let mut scene = Scene::new(&case["input"]);
                for s in list(&case["steps"]).iter().filter(|s| s["call"] == "set_node") {
                    scene.step(s)?;
                }
                scene.skin.reset_pose(&scene.rig.skeleton, &mut scene.pose);
                scene.update();
                let one = cols(&Affine::IDENTITY);
                scene.matrices().iter().try_for_each(|m| agree("m", &cols(m), &one, TOLERANCE))
            },
        },
        Ours {
            name: "wrong number of inverses becomes identity",
            why: "a skin that does not fit together is refused",
            check: |case| {
                let mut scene = Scene::new(&case["input"]);
                scene.mesh = Some((JointId(0), Bind::default()));
                match scene.vertices() {
                    Err(e) if e.contains("inverse binds") => Ok(()),
                    other => Err(format!("{other:?}")),
                }
            },
        },
        Ours {
            name: "normalizeSkinWeights all zero, negative",
            why: "a negative weight counts as 0",
            check: |case| {
                let mut scene = Scene::new(&case["input"]);
                let f = scene.geometry.influences.as_mut().ok_or("no influences")?;
                f.normalize(1e-6);
                let mut want = nums(&case["steps"][0]["expect"]["skin_weight"]);
                want[12..].copy_from_slice(&[0.0, 0.5, 0.25, 0.25]);
                agree("weights", &doubles(&f.weights), &want, TOLERANCE)
            },
        },
    ];
    parity::replay("skeleton.json", &ours, &[], run);
}
