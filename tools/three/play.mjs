// Plays clips in three.js and prints where every node is.
//
//   echo FILE.glb | node play.mjs
//
// For each file named on standard input, one JSON line:
//   {"file": …, "clips": [{"name": …, "duration": s, "times": [s × 10],
//                          "nodes": [[[16 numbers, column by column] × times] × nodes]}]}
// Nodes are in the file's order; one that the scene lacks is null.
import { readFileSync } from "node:fs";
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

// Node has no decoder of pictures; where joints are does not depend on them.
function withoutLooks(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)));
  for (const key of ["materials", "textures", "images", "samplers"]) delete json[key];
  for (const mesh of json.meshes ?? [])
    for (const primitive of mesh.primitives) {
      delete primitive.material;
      delete primitive.extensions;
    }
  let text = JSON.stringify(json);
  while (Buffer.byteLength(text) % 4) text += " ";
  const head = Buffer.alloc(20);
  head.write("glTF", 0, "latin1");
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(Buffer.byteLength(text), 12);
  head.write("JSON", 16, "latin1");
  const all = Buffer.concat([head, Buffer.from(text), bytes.subarray(20 + length)]);
  all.writeUInt32LE(all.length, 8);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
}

const TIMES = 10;
// three.js warns of what a file without materials lacks.
console.warn = () => {};

for (const file of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const gltf = await new GLTFLoader().parseAsync(withoutLooks(readFileSync(file)), "");
  const parser = gltf.parser;
  const nodes = await Promise.all(
    (parser.json.nodes ?? []).map((_, i) => parser.getDependency("node", i)));
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const clips = gltf.animations.map((clip) => {
    mixer.stopAllAction();
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce, 1);
    action.clampWhenFinished = true;
    action.reset().play();
    const times = Array.from({ length: TIMES }, (_, k) => (clip.duration * (k + 0.37)) / TIMES);
    const out = nodes.map(() => []);
    for (const time of times) {
      action.time = time;
      mixer.update(0);
      gltf.scene.updateMatrixWorld(true);
      nodes.forEach((node, i) => out[i].push(node.matrixWorld.toArray()));
    }
    return { name: clip.name, duration: clip.duration, times, nodes: out };
  });
  console.log(JSON.stringify({ file, clips }));
}
