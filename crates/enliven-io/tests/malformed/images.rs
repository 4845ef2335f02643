//! M23: pictures.

use std::io::Cursor;

use enliven_io::NoFiles;
use image::{
    DynamicImage, ExtendedColorType, ImageEncoder as _, ImageFormat,
    codecs::png::{CompressionType, FilterType, PngEncoder},
};
use serde_json::json;

use crate::{
    base::{Base, Cases, Expect, Fine, Said, SaidOneOf},
    common::{BYTES, alone},
};

fn encode(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let picture = DynamicImage::new_luma8(width, height);
    let picture =
        if format == ImageFormat::Jpeg { DynamicImage::new_rgb8(width, height) } else { picture };
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, format).expect("an encodable picture");
    out.into_inner()
}

/// Black pixels, packed as tightly as PNG allows: a thousand to a byte.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut out, CompressionType::Best, FilterType::NoFilter);
    let picture = vec![0; (width * height) as usize];
    encoder
        .write_image(&picture, width, height, ExtendedColorType::L8)
        .expect("an encodable picture");
    out
}

/// The base with a texture whose image holds these bytes.
fn with_image(bytes: &[u8], media_type: &str) -> Base {
    let mut base = Base::new();
    let accessor = base.add("SCALAR", 5121, bytes.len(), bytes, None);
    let list = base.json["accessors"].as_array_mut().expect("a list");
    let view = list.pop().expect("just added")["bufferView"].clone();
    assert_eq!(list.len(), accessor);
    base.json["images"] = json!([{"bufferView": view, "mimeType": media_type}]);
    base.json["textures"] = json!([{"source": 0}]);
    base.json["materials"] = json!([{"emissiveTexture": {"index": 0}}]);
    let uvs = base.add("VEC2", 5126, 3, &[0; 24], Some(34962));
    base.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    base.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(uvs);
    base
}

/// CRC-32 of PNG chunks (ISO 3309).
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 }
        })
    })
}

fn png_chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut out = (data.len() as u32).to_be_bytes().to_vec();
    out.extend(kind);
    out.extend(data);
    out.extend(crc(&out[4..]).to_be_bytes());
    out
}

/// A PNG that claims another size than it has.
fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut png = encode(4, 4, ImageFormat::Png);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc(&png[12..29]);
    png[29..33].copy_from_slice(&crc.to_be_bytes());
    png
}

/// The compressed pixels of a PNG.
fn pixels(png: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 8;
    while at < png.len() {
        let length = u32::from_be_bytes(png[at..at + 4].try_into().expect("4 bytes")) as usize;
        if &png[at + 4..at + 8] == b"IDAT" {
            out.extend(&png[at + 8..at + 8 + length]);
        }
        at += length + 12;
    }
    out
}

#[test]
fn m23_pictures() {
    let _alone = alone();
    let mut cases = Cases::default();
    // Decoding takes memory of its own, whatever the file's size.
    let mut check = |name: &str, expect: Expect, base: Base| {
        cases.check_with(name, base.glb(), expect, &mut NoFiles, BYTES);
    };
    let png = encode(4, 4, ImageFormat::Png);
    let jpeg = encode(16, 16, ImageFormat::Jpeg);
    check("sound PNG", Fine, with_image(&png, "image/png"));
    check("sound JPEG", Fine, with_image(&jpeg, "image/jpeg"));
    let undecodable = SaidOneOf(&["IMAGE_DATA_INVALID", "IMAGE_UNEXPECTED_EOS"]);
    let too_large = Said("LIMIT_IMAGE_PIXELS");
    check("65535² in 100 bytes", too_large, with_image(&claiming(65535, 65535), "image/png"));
    check(
        "2^31 wide",
        SaidOneOf(&["LIMIT_IMAGE_PIXELS", "IMAGE_DATA_INVALID"]),
        with_image(&claiming(1 << 31, 1), "image/png"),
    );
    check("8192 × 4096 of nothing", undecodable, with_image(&claiming(8192, 4096), "image/png"));
    check("0 × 0", undecodable, with_image(&claiming(0, 0), "image/png"));
    for length in [0, 1, 13, 14, 40, jpeg.len() / 2] {
        let expect = SaidOneOf(&[
            "IMAGE_DATA_INVALID",
            "IMAGE_UNEXPECTED_EOS",
            "IMAGE_UNRECOGNIZED_FORMAT",
            "VALUE_NOT_IN_RANGE",
        ]);
        check(
            &format!("JPEG of {length} bytes"),
            expect,
            with_image(&jpeg[..length], "image/jpeg"),
        );
    }
    for length in [16, 33, png.len() / 2] {
        check(
            &format!("PNG of {length} bytes"),
            undecodable,
            with_image(&png[..length], "image/png"),
        );
    }
    check("PNG called JPEG", Said("IMAGE_MIME_TYPE_INVALID"), with_image(&png, "image/jpeg"));
    check("text", Said("IMAGE_UNRECOGNIZED_FORMAT"), with_image(&[b'x'; 64], "image/png"));
    let mut past = with_image(&png, "image/png");
    let view = past.json["images"][0]["bufferView"].as_u64().expect("an index") as usize;
    past.json["bufferViews"][view]["byteLength"] = json!(1 << 20);
    check("a view past the buffer", Said("BUFFER_VIEW_TOO_LONG"), past);
    let mut flipped = jpeg.clone();
    for at in (30..flipped.len()).step_by(7) {
        flipped[at] ^= 0x55;
    }
    check("a JPEG gone bad", undecodable, with_image(&flipped, "image/jpeg"));
    cases.done(15);
}

#[test]
fn m23_zip_bombs() {
    let _alone = alone();
    let mut cases = Cases::default();
    let mut check = |name: &str, expect: Expect, base: Base| {
        cases.check_with(name, base.glb(), expect, &mut NoFiles, BYTES);
    };
    // 24 million black pixels in 24 KB.
    let bomb = bomb(6000, 4000);
    assert!(bomb.len() < 6000 * 4000 / 900, "{} bytes", bomb.len());
    check("within the limits", Fine, with_image(&bomb, "image/png"));
    let mut many = with_image(&bomb, "image/png");
    let image = many.json["images"][0].clone();
    many.json["images"] = json!(vec![image; 40]);
    many.json["textures"] = json!((0..40).map(|at| json!({"source": at})).collect::<Vec<_>>());
    many.json["materials"] =
        json!((0..40).map(|at| json!({"emissiveTexture": {"index": at}})).collect::<Vec<_>>());
    let primitive = many.json["meshes"][0]["primitives"][0].clone();
    let with_material = |at: usize| {
        let mut primitive = primitive.clone();
        primitive["material"] = json!(at);
        primitive
    };
    many.json["meshes"][0]["primitives"] = json!((0..40).map(with_material).collect::<Vec<_>>());
    check("forty of them", Said("LIMIT_TOTAL_IMAGE_PIXELS"), many);
    let huge = self::bomb(9000, 9000);
    check("beyond the limits", Said("LIMIT_IMAGE_PIXELS"), with_image(&huge, "image/png"));
    // The same stream as a colour profile and as a text.
    let stream = pixels(&huge);
    for (kind, head) in [(b"iCCP", &b"p\0\0"[..]), (b"zTXt", &b"t\0\0"[..])] {
        let mut png = encode(4, 4, ImageFormat::Png);
        let chunk = png_chunk(kind, &[head, &stream].concat());
        png.splice(33..33, chunk);
        let name = String::from_utf8_lossy(kind);
        let expect = SaidOneOf(&["UNUSED_OBJECT", "IMAGE_DATA_INVALID"]);
        let mut base = with_image(&png, "image/png");
        // Something is said in any case, so that either outcome passes.
        base.json["samplers"] = json!([{}]);
        check(&name, expect, base);
    }
    cases.done(5);
}
