//! The skin of a body at rest, as one list of vertices.

use crate::{Affine, Binding, Character, Image, Mesh, Topology, math};
use glam::Vec3;
use std::collections::BTreeMap;

/// A loose piece of a mesh: triangles that hang together by edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Index of the mesh.
    pub mesh: usize,
    /// Lowest corner, metres.
    pub low: Vec3,
    /// Highest corner, metres.
    pub high: Vec3,
    /// Mean linear RGB, as drawn without light.
    pub color: Vec3,
    /// How many vertices it has.
    pub vertices: usize,
}

impl Component {
    /// Middle of its box.
    pub fn middle(&self) -> Vec3 {
        (self.low + self.high) * 0.5
    }

    /// Edges of its box.
    pub fn size(&self) -> Vec3 {
        self.high - self.low
    }
}

/// All shown vertices of meshes that no skin moves, in the space of the file at rest, metres.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Positions.
    pub points: Vec<Vec3>,
    /// Unit normals.
    pub normals: Vec<Vec3>,
    /// Linear RGB as drawn without light: material × texture × vertex colour.
    pub colors: Vec<Vec3>,
    /// Vertex colour alone, where the mesh has any.
    pub paint: Vec<Option<Vec3>>,
    /// Mesh of each vertex.
    pub mesh: Vec<u32>,
    /// Index into `pieces` of each vertex.
    pub piece: Vec<u32>,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Loose pieces, in the order of their first vertex.
    pub pieces: Vec<Component>,
    /// First vertex of each mesh of the character; `None` for one that is left out.
    pub starts: Vec<Option<usize>>,
    /// Vertices at one place have one number here.
    pub weld: Vec<u32>,
    names: Vec<[String; 3]>,
}

impl Surface {
    /// The surface of a character at rest.
    pub fn new(character: &Character) -> Self {
        let model = character.rig.skeleton.rest_model();
        let mut out = Self::default();
        for mesh in &character.meshes {
            let skeleton = &character.rig.skeleton;
            out.names.push([
                mesh.name.clone(),
                skeleton.name(mesh.joint).to_owned(),
                character.materials[mesh.material.index()].name.clone(),
            ]);
            let Binding::Rigid(joint) = mesh.binding else {
                out.starts.push(None);
                continue;
            };
            if !mesh.shown || mesh.geometry.topology != Topology::Triangles {
                out.starts.push(None);
                continue;
            }
            out.starts.push(Some(out.points.len()));
            out.add(character, mesh, &model[joint.index()]);
        }
        out.find_pieces();
        out
    }

    fn add(&mut self, character: &Character, mesh: &Mesh, to: &Affine) {
        let g = &mesh.geometry;
        let start = self.points.len() as u32;
        let index = self.names.len() as u32 - 1;
        let flip = if to.determinant() < 0.0 { -1.0 } else { 1.0 };
        let material = &character.materials[mesh.material.index()];
        let texture = material.base_color_texture.and_then(|t| {
            let image = character.textures[t.texture.index()].image?;
            Some((t, &character.images[image.index()]))
        });
        for (v, p) in g.positions.iter().enumerate() {
            self.points.push(to.transform_point(*p));
            let n = g.normals.get(v).map_or(Vec3::ZERO, |n| to.transform_normal(*n) * flip);
            self.normals.push(n.normalize_or_zero());
            let paint = g.colors.get(v).map(|c| c.truncate());
            let mut color = material.base_color.truncate() * paint.unwrap_or(Vec3::ONE);
            if let Some((t, image)) = texture
                && let Some(uv) = g.uvs.get(t.uv_set as usize).and_then(|u| u.get(v))
            {
                let (s, c) = math::sin_cos(t.rotation);
                let uv = *uv * t.scale;
                let uv = t.offset + glam::Vec2::new(c * uv.x + s * uv.y, c * uv.y - s * uv.x);
                color *= texel(image, uv.x, uv.y);
            }
            self.colors.push(color);
            self.paint.push(paint);
            self.mesh.push(index);
        }
        for t in g.indices.chunks_exact(3) {
            self.triangles.push([start + t[0], start + t[1], start + t[2]]);
        }
    }

    fn find_pieces(&mut self) {
        // A hundred-thousandth of the size is below what any modeller means.
        let (low, high) = self.bounds();
        let step = ((high - low).max_element() * 1e-5).max(1e-9);
        let mut places = BTreeMap::new();
        self.weld = self
            .points
            .iter()
            .map(|p| {
                let key = ((*p - low) / step).round().to_array().map(|v| v as i32);
                let next = places.len() as u32;
                *places.entry(key).or_insert(next)
            })
            .collect();
        // Triangles that share an edge within one mesh are one piece. Touching in a vertex is not
        // enough: an eyeball may touch its socket.
        let mut sets = Sets::new(self.triangles.len());
        let mut edges = BTreeMap::new();
        for (t, tri) in self.triangles.iter().enumerate() {
            for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                let (a, b) = (self.weld[tri[a] as usize], self.weld[tri[b] as usize]);
                let key = (self.mesh[tri[0] as usize], a.min(b), a.max(b));
                sets.join(*edges.entry(key).or_insert(t), t);
            }
        }
        let mut of_vertex = vec![u32::MAX; self.points.len()];
        let mut numbers = BTreeMap::new();
        for (t, tri) in self.triangles.iter().enumerate() {
            let root = sets.find(t);
            let next = numbers.len() as u32;
            let piece = *numbers.entry(root).or_insert(next);
            for &v in tri {
                if of_vertex[v as usize] == u32::MAX {
                    of_vertex[v as usize] = piece;
                }
            }
        }
        // A vertex without a triangle is nobody's: it goes with piece 0 and counts nowhere.
        let mut pieces: Vec<Option<Component>> = vec![None; numbers.len()];
        for (v, &piece) in of_vertex.iter().enumerate() {
            if piece == u32::MAX {
                continue;
            }
            let p = self.points[v];
            let c = pieces[piece as usize].get_or_insert(Component {
                mesh: self.mesh[v] as usize,
                low: p,
                high: p,
                color: Vec3::ZERO,
                vertices: 0,
            });
            c.low = c.low.min(p);
            c.high = c.high.max(p);
            c.color += self.colors[v];
            c.vertices += 1;
        }
        self.pieces = pieces
            .into_iter()
            .flatten()
            .map(|mut c| {
                c.color /= c.vertices as f32;
                c
            })
            .collect();
        self.piece = of_vertex.iter().map(|p| if *p == u32::MAX { 0 } else { *p }).collect();
    }

    /// Lowest and highest corner; zero where there is nothing.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let Some(first) = self.points.first() else { return (Vec3::ZERO, Vec3::ZERO) };
        self.points.iter().fold((*first, *first), |(lo, hi), p| (lo.min(*p), hi.max(*p)))
    }

    /// Whether a mesh, its node or its material has this name.
    pub fn is_part(&self, mesh: usize, name: &str) -> bool {
        self.names.get(mesh).is_some_and(|n| n.iter().any(|n| n == name))
    }

    /// Names of a mesh, of its node and of its material.
    pub fn names(&self, mesh: usize) -> &[String; 3] {
        &self.names[mesh]
    }

    /// A direction at each vertex along which the surface can be pushed without tearing: the
    /// normals of all faces at its place, joined.
    pub fn smooth_normals(&self) -> Vec<Vec3> {
        let places = self.weld.iter().max().map_or(0, |m| *m as usize + 1);
        let mut sum = vec![Vec3::ZERO; places];
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| self.points[v as usize]);
            let n = (b - a).cross(c - a);
            for &v in t {
                sum[self.weld[v as usize] as usize] += n;
            }
        }
        self.weld.iter().map(|w| sum[*w as usize].normalize_or_zero()).collect()
    }
}

/// Linear RGB of the texel that holds (u, v), repeating.
fn texel(image: &Image, u: f32, v: f32) -> Vec3 {
    let at = |x: f32, n: u32| ((math::fract(x) * n as f32) as u32).min(n.saturating_sub(1));
    let i = (at(v, image.height) * image.width + at(u, image.width)) as usize * 4;
    let Some(px) = image.rgba.get(i..i + 3) else { return Vec3::ONE };
    // IEC 61966-2-1.
    let linear = |b: u8| {
        let c = f32::from(b) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { math::pow((c + 0.055) / 1.055, 2.4) }
    };
    Vec3::new(linear(px[0]), linear(px[1]), linear(px[2]))
}

/// Disjoint sets with path halving.
struct Sets(Vec<u32>);

impl Sets {
    fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    fn find(&mut self, i: usize) -> usize {
        let mut i = i;
        while self.0[i] as usize != i {
            self.0[i] = self.0[self.0[i] as usize];
            i = self.0[i] as usize;
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        // The lower number stays the root, so the order of triangles decides, nothing else.
        let (low, high) = (a.min(b), a.max(b));
        self.0[high] = low as u32;
    }
}
