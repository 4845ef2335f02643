// Workload `load` in three.js: GLTFLoader.parse of each file named, for the table that
// `cargo xtask bench` prints. Pictures are not decoded: node cannot. The figure is the fastest of
// many rounds, microseconds.
//
//   node load.mjs FILE …
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

globalThis.self ??= globalThis;
const TRIED = 1500; // ms

const pictures = () => ({
  name: "NO_PICTURES",
  loadTexture: () => Promise.resolve(new THREE.DataTexture(new Uint8Array(4), 1, 1)),
});

for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  let best = Infinity;
  const start = performance.now();
  while (performance.now() - start < TRIED) {
    const loader = new GLTFLoader();
    loader.register(pictures);
    const round = performance.now();
    await new Promise((done, failed) => loader.parse(buffer, "", done, failed));
    best = Math.min(best, performance.now() - round);
  }
  console.log(`${basename(file).padEnd(28)} ${(best * 1000).toFixed(0).padStart(9)}`);
}
