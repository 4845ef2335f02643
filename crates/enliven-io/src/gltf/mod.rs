//! glTF 2.0 and GLB.

pub mod validate;

use crate::Bytes;

/// What wraps the JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Container {
    /// Text alone (`.gltf`).
    Json,
    /// Binary (`.glb`, `.vrm`).
    Glb {
        /// Length of the BIN chunk in bytes, padding included; `None` without one.
        bin: Option<usize>,
    },
}

/// What the document refers to, fetched and unpacked.
#[derive(Clone, Debug)]
pub struct Resources {
    /// What wrapped the JSON.
    pub container: Container,
    /// One an element of `/buffers`: all the bytes there are, which may be more or fewer than
    /// `byteLength` says. `None` when they could not be had (a diagnostic says why).
    pub buffers: Vec<Option<Bytes>>,
    /// One an element of `/images`: the encoded bytes. `None` when they could not be had.
    pub images: Vec<Option<Bytes>>,
}
