//! M01 to M04: header and chunks of a GLB.

use crate::{
    base::{Base, Cases, Fine, Refused, Said, chunk, glb},
    common::alone,
};

fn json_chunk() -> Vec<u8> {
    chunk(b"JSON", Base::new().json.to_string().as_bytes(), b' ')
}

fn bin_chunk() -> Vec<u8> {
    chunk(b"BIN\0", &Base::new().bin, 0)
}

#[test]
fn m01_header_length() {
    let _alone = alone();
    let mut cases = Cases::default();
    let whole = Base::new().glb();
    let length = whole.len() as u32;
    for (declared, expect) in [
        (0, Refused("GLB_LENGTH_TOO_SMALL")),
        (11, Refused("GLB_LENGTH_TOO_SMALL")),
        (12, Refused("GLB_LENGTH_TOO_SMALL")),
        (13, Refused("GLB_CHUNK_TOO_BIG")),
        (length - 1, Refused("GLB_CHUNK_TOO_BIG")),
        (length + 4, Refused("GLB_LENGTH_MISMATCH")),
        (u32::MAX, Refused("GLB_LENGTH_MISMATCH")),
    ] {
        let mut file = whole.clone();
        file[8..12].copy_from_slice(&declared.to_le_bytes());
        cases.check(&format!("length {declared}"), file, expect);
    }
    cases.done(7);
}

#[test]
fn m02_nothing_but_a_header() {
    let _alone = alone();
    let mut cases = Cases::default();
    let header = b"glTF\x02\0\0\0\xFF\xFF\xFF\xFF".to_vec();
    cases.check("4 GiB claimed", header.clone(), Refused("GLB_LENGTH_MISMATCH"));
    for length in 0..12 {
        let expect = Refused("GLB_UNEXPECTED_END_OF_HEADER");
        cases.check(&format!("{length} bytes"), header[..length].to_vec(), expect);
    }
    let mut one = header.clone();
    one[4] = 1;
    cases.check("version 1", one, Refused("GLB_INVALID_VERSION"));
    let mut magic = Base::new().glb();
    magic[3] = b'f';
    cases.check("magic", magic, Refused("GLB_INVALID_MAGIC"));
    cases.done(15);
}

#[test]
fn m03_chunk_lengths() {
    let _alone = alone();
    let mut cases = Cases::default();
    let length_of_json = |length: u32| {
        let mut file = Base::new().glb();
        file[12..16].copy_from_slice(&length.to_le_bytes());
        file
    };
    cases.check("JSON of 0", length_of_json(0), Refused("GLB_EMPTY_CHUNK"));
    let remaining = Base::new().glb().len() as u32 - 20;
    cases.check("JSON past the end", length_of_json(remaining + 1), Refused("GLB_CHUNK_TOO_BIG"));
    cases.check("JSON of 4 GiB", length_of_json(u32::MAX), Refused("GLB_CHUNK_TOO_BIG"));
    // JSON and all the rest of the file as one chunk.
    cases.check("JSON to the end", length_of_json(remaining), Refused("INVALID_JSON"));

    let mut text = Base::new().json.to_string();
    while text.len().is_multiple_of(4) {
        text.push(' ');
    }
    let mut unaligned = (text.len() as u32).to_le_bytes().to_vec();
    unaligned.extend(b"JSON");
    unaligned.extend(text.as_bytes());
    let expect = Said("GLB_CHUNK_LENGTH_UNALIGNED");
    cases.check("unaligned", glb(&[unaligned, bin_chunk()]), expect);

    let mut past = bin_chunk();
    let length = past.len() as u32;
    past[..4].copy_from_slice(&length.to_le_bytes());
    cases.check("BIN past the end", glb(&[json_chunk(), past]), Refused("GLB_CHUNK_TOO_BIG"));
    let mut short = Base::new();
    short.bin.truncate(short.bin.len() - 4);
    cases.check("BIN 4 short", short.glb(), Said("BUFFER_BYTE_LENGTH_MISMATCH"));
    cases.check("no BIN", glb(&[json_chunk()]), Said("BUFFER_MISSING_GLB_DATA"));
    let empty = chunk(b"BIN\0", &[], 0);
    cases.check("BIN of 0", glb(&[json_chunk(), empty]), Said("GLB_EMPTY_BIN_CHUNK"));
    cases.done(9);
}

#[test]
fn m04_order_of_chunks() {
    let _alone = alone();
    let mut cases = Cases::default();
    let other = || chunk(b"XTRA", b"what", 0);
    let first = Refused("GLB_UNEXPECTED_FIRST_CHUNK");
    cases.check("BIN first", glb(&[bin_chunk(), json_chunk()]), first);
    cases.check("unknown first", glb(&[other(), json_chunk(), bin_chunk()]), first);
    let twice = Said("GLB_DUPLICATE_CHUNK");
    cases.check("two JSON", glb(&[json_chunk(), bin_chunk(), json_chunk()]), twice);
    cases.check("two BIN", glb(&[json_chunk(), bin_chunk(), bin_chunk()]), twice);
    let file = glb(&[json_chunk(), other(), bin_chunk()]);
    cases.check("BIN third", file, Said("GLB_UNEXPECTED_BIN_CHUNK"));
    let file = glb(&[json_chunk(), bin_chunk(), other()]);
    cases.check("unknown last", file, Said("GLB_UNKNOWN_CHUNK_TYPE"));
    let mut trailing = Base::new().glb();
    trailing.resize(trailing.len() + (1 << 20), 0xAA);
    cases.check("1 MiB behind", trailing, Said("GLB_EXTRA_DATA"));
    let many: Vec<_> =
        [json_chunk(), bin_chunk()].into_iter().chain((0..100_000).map(|_| other())).collect();
    cases.check("100,000 unknown", glb(&many), Said("GLB_UNKNOWN_CHUNK_TYPE"));
    cases.check("in order", glb(&[json_chunk(), bin_chunk()]), Fine);
    cases.done(9);
}
