// Compresses GLB files with the reference encoder of meshopt, and unpacks them again with the
// reference decoder: twins that hold the same data.
//
// Each line of standard input is
// {"in", "packed", "plain", "version": 0 | 1, "filters": bool, "sequence": bool}:
// "packed" gets EXT_meshopt_compression (version 0) or KHR_meshopt_compression (1), with filters
// for normals, tangents, positions, rotations and colours where asked for, and triangles as other
// indices with "sequence"; "plain" gets what the reference decoder makes of it. For each, one line {"modes": {MODE FILTER: views}} is printed.
import { readFileSync, writeFileSync } from "node:fs";
import { MeshoptDecoder, MeshoptEncoder } from "meshoptimizer";

await MeshoptEncoder.ready;
await MeshoptDecoder.ready;

const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };
const SIZES = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };

function read(file) {
  const bytes = readFileSync(file);
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.toString("utf8", 20, 20 + length));
  const bin = bytes.subarray(20 + length + 8);
  return { json, bin };
}

function write(file, json, bin) {
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, " ")]);
  const head = Buffer.alloc(20);
  head.write("glTF", 0, "latin1");
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(text.length, 12);
  head.write("JSON", 16, "latin1");
  const chunk = Buffer.alloc(8);
  chunk.writeUInt32LE(bin.length, 0);
  chunk.write("BIN\0", 4, "latin1");
  const all = Buffer.concat([head, text, chunk, bin]);
  all.writeUInt32LE(all.length, 8);
  writeFileSync(file, all);
}

// Bytes one after the other, each piece at a multiple of four.
function pile() {
  const pieces = [];
  let length = 0;
  return {
    put(bytes) {
      const at = length;
      pieces.push(bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4));
      length += bytes.length + ((4 - (bytes.length % 4)) % 4);
      return at;
    },
    bytes: () => Buffer.concat(pieces),
  };
}

// What each accessor is for.
function uses(json) {
  const out = new Map();
  const note = (accessor, use) => accessor !== undefined && out.set(accessor, use);
  for (const mesh of json.meshes ?? [])
    for (const p of mesh.primitives) {
      note(p.indices, (p.mode ?? 4) === 4 ? "TRIANGLES" : "INDICES");
      for (const [name, a] of Object.entries(p.attributes)) note(a, name.replace(/_\d+$/, ""));
      for (const target of p.targets ?? []) note(target.POSITION, "POSITION");
    }
  for (const { channels, samplers } of json.animations ?? [])
    for (const c of channels)
      if (c.target.path === "rotation" && samplers[c.sampler].interpolation !== "CUBICSPLINE")
        note(samplers[c.sampler].output, "ROTATION");
  return out;
}

function floats(json, bin, accessor) {
  const a = json.accessors[accessor];
  if (a.componentType !== 5126 || a.sparse || a.bufferView === undefined) return null;
  const view = json.bufferViews[a.bufferView];
  const width = WIDTHS[a.type];
  const stride = view.byteStride ?? width * 4;
  const start = (view.byteOffset ?? 0) + (a.byteOffset ?? 0);
  const out = new Float32Array(a.count * width);
  for (let i = 0; i < a.count; i++)
    for (let k = 0; k < width; k++) out[i * width + k] = bin.readFloatLE(start + i * stride + k * 4);
  return out;
}

// Elements of four numbers, the rest filled up.
function fours(values, width, fill) {
  const out = new Float32Array((values.length / width) * 4).fill(fill);
  for (let i = 0; i < values.length / width; i++)
    for (let k = 0; k < width; k++) out[i * 4 + k] = values[i * width + k];
  return out;
}

// The filtered form of an accessor's data, where its use has one.
function filtered(use, values, width, count) {
  switch (use) {
    case "NORMAL":
    case "TANGENT": {
      const source = fours(values, width, 0);
      const data = MeshoptEncoder.encodeFilterOct(source, count, 4, 8);
      return { data, stride: 4, filter: "OCTAHEDRAL", componentType: 5120 };
    }
    case "ROTATION": {
      const data = MeshoptEncoder.encodeFilterQuat(values, count, 8, 12);
      return { data, stride: 8, filter: "QUATERNION", componentType: 5122 };
    }
    case "POSITION": {
      const data = MeshoptEncoder.encodeFilterExp(values, count, 12, 15);
      return { data, stride: 12, filter: "EXPONENTIAL", componentType: 5126 };
    }
    case "COLOR": {
      const data = MeshoptEncoder.encodeFilterColor(fours(values, width, 1), count, 4, 8);
      return { data, stride: 4, filter: "COLOR", componentType: 5121, type: "VEC4" };
    }
  }
}

function pack({ in: file, packed, plain, version, filters, sequence }) {
  const { json, bin } = read(file);
  const use = uses(json);
  const modes = {};
  const [streams, decoded] = [pile(), pile()];
  let placeholder = 0;
  const name = version === 1 ? "KHR_meshopt_compression" : "EXT_meshopt_compression";
  const [packedViews, plainViews] = [[], []];
  const add = (source, view, stride, mode, filter) => {
    const count = source.length / stride;
    const stream = Buffer.from(MeshoptEncoder.encodeGltfBuffer(source, count, stride, mode, version));
    const out = new Uint8Array(source.length);
    MeshoptDecoder.decodeGltfBuffer(out, count, stride, stream, mode, filter);
    const key = filter ? `${mode} ${filter}` : mode;
    modes[key] = (modes[key] ?? 0) + 1;
    packedViews.push({
      ...view, buffer: 1, byteOffset: placeholder, byteLength: source.length,
      extensions: { [name]: {
        buffer: 0, byteOffset: streams.put(stream), byteLength: stream.length,
        byteStride: stride, count, mode, ...(filter ? { filter } : {}),
      } },
    });
    placeholder += source.length + ((4 - (source.length % 4)) % 4);
    plainViews.push({ ...view, buffer: 0, byteOffset: decoded.put(Buffer.from(out)), byteLength: out.length });
    return out;
  };

  (json.bufferViews ?? []).forEach((view, i) => {
    const start = view.byteOffset ?? 0;
    const bytes = bin.subarray(start, start + view.byteLength);
    const mine = (json.accessors ?? []).flatMap((a, k) => (a.bufferView === i ? [[a, use.get(k)]] : []));
    const { byteOffset, ...rest } = view;
    const raw = () => {
      packedViews.push({ ...rest, buffer: 0, byteOffset: streams.put(bytes) });
      plainViews.push({ ...rest, buffer: 0, byteOffset: decoded.put(bytes) });
    };
    const image = (json.images ?? []).some((image) => image.bufferView === i);
    if (image || !mine.length) return raw();
    const [first, firstUse] = mine[0];
    const size = SIZES[first.componentType];
    const alone = mine.length === 1 && !first.byteOffset && bytes.length === first.count * size;
    if (firstUse === "TRIANGLES" || firstUse === "INDICES") {
      if (!alone || size === 1) return raw();
      return add(bytes, rest, size, sequence || first.count % 3 ? "INDICES" : firstUse);
    }
    let stride = view.byteStride ?? size * WIDTHS[first.type];
    if (stride % 4 || stride > 256 || bytes.length % stride) stride = 4;
    if (bytes.length % stride) return raw();
    // A stride that is not the view's own would say something else about it.
    if (view.byteStride && view.byteStride !== stride) return raw();
    add(bytes, rest, stride, "ATTRIBUTES");
  });

  if (filters)
    json.accessors.forEach((a, i) => {
      const values = floats(json, bin, i);
      const form = values && filtered(use.get(i), values, WIDTHS[a.type], a.count);
      if (!form) return;
      const view = use.get(i) === "ROTATION" ? {} : { byteStride: form.stride, target: 34962 };
      const out = add(form.data, view, form.stride, "ATTRIBUTES", form.filter);
      a.bufferView = packedViews.length - 1;
      delete a.byteOffset;
      a.componentType = form.componentType;
      a.type = form.type ?? a.type;
      if (form.componentType !== 5126) a.normalized = true;
      if (a.min && form.componentType === 5126) {
        const got = new Float32Array(out.buffer);
        for (const [key, pick] of [["min", Math.min], ["max", Math.max]])
          a[key] = a[key].map((_, k) => got.reduce(
            (m, v, at) => (at % a[key].length === k ? pick(m, v) : m), key === "min" ? Infinity : -Infinity));
      }
    });

  const quantised = filters ? ["KHR_mesh_quantization"] : [];
  const bytes = streams.bytes();
  write(packed, {
    ...json,
    extensionsUsed: [...new Set([...(json.extensionsUsed ?? []), name, ...quantised])],
    extensionsRequired: [...new Set([...(json.extensionsRequired ?? []), name, ...quantised])],
    bufferViews: packedViews,
    buffers: [
      { byteLength: bytes.length },
      { byteLength: Math.max(placeholder, 1), extensions: { [name]: { fallback: true } } },
    ],
  }, bytes);
  const whole = decoded.bytes();
  write(plain, {
    ...json,
    ...(quantised.length ? {
      extensionsUsed: [...new Set([...(json.extensionsUsed ?? []), ...quantised])],
      extensionsRequired: [...new Set([...(json.extensionsRequired ?? []), ...quantised])],
    } : {}),
    bufferViews: plainViews,
    buffers: [{ byteLength: whole.length }],
  }, whole);
  console.log(JSON.stringify({ packed, modes, bytes: bytes.length, plain: whole.length }));
}

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) pack(JSON.parse(line));
