// Workload W2 ("synthetic dense": 67 joints, 3 clips blended) in three.js, for the table that
// `cargo xtask bench` prints. The figure is nanoseconds a character for sampling three clips,
// blending them, world matrices and bone matrices: the unit d2 of crates/enliven/benches/w2.rs.
//
//   node w2.mjs [CHARACTERS …]
import * as THREE from "three";

const PARENTS = [
  -1, 0, 1, 2, 3, 4, 5, 6, 7, 6, 9, 10, 11, 12, 13, 14, 15, 12, 17, 18, 19, 12, 21, 22, 23, 12, 25,
  26, 27, 12, 29, 30, 31, 6, 33, 34, 35, 36, 37, 38, 39, 36, 41, 42, 43, 36, 45, 46, 47, 36, 49, 50,
  51, 36, 53, 54, 55, 2, 57, 58, 59, 60, 2, 62, 63, 64, 65,
];
const KEYS = [31, 25, 21];
const WEIGHTS = [0.2, 0.5, 0.3];

function clip(c) {
  const n = KEYS[c];
  const times = Array.from({ length: n }, (_, k) => k / 30);
  const u = (k) => k / (n - 1);
  const root = [];
  for (let k = 0; k < n; k++) {
    const a = 2 * Math.PI * u(k);
    root.push(0.1 * Math.sin(a), 1 + 0.05 * Math.cos(2 * a), 0);
  }
  const tracks = [new THREE.VectorKeyframeTrack("j0.position", times, root)];
  for (let j = 0; j < 67; j++) {
    const axis = new THREE.Vector3(
      Math.sin(1.3 * j + 1), Math.sin(2.1 * j + 2), Math.sin(0.7 * j + 3)).normalize();
    const values = [];
    for (let k = 0; k < n; k++) {
      const turns = 2 * Math.PI * u(k) * (1 + (j % 3));
      const angle = 0.4 * Math.sin(turns + 0.37 * j + 0.9 * c) + 0.1 * c;
      values.push(...new THREE.Quaternion().setFromAxisAngle(axis, angle).toArray());
    }
    tracks.push(new THREE.QuaternionKeyframeTrack(`j${j}.quaternion`, times, values));
  }
  return new THREE.AnimationClip(`clip ${c}`, -1, tracks);
}

const clips = [0, 1, 2].map(clip);

function character(i) {
  const bones = PARENTS.map((p, j) => {
    const bone = new THREE.Bone();
    bone.name = `j${j}`;
    bone.position.set(0, p < 0 ? 1 : 0.1, 0);
    return bone;
  });
  PARENTS.forEach((p, j) => p >= 0 && bones[p].add(bones[j]));
  const root = new THREE.Object3D();
  root.add(bones[0]);
  root.updateMatrixWorld(true);
  const skeleton = new THREE.Skeleton(bones);
  const mixer = new THREE.AnimationMixer(root);
  clips.forEach((c, k) => {
    const action = mixer.clipAction(c);
    action.weight = WEIGHTS[k];
    action.play();
    action.time = ((i * 0.6180339887) % 1) * c.duration;
  });
  return { root, bones, skeleton, mixer };
}

function step({ root, skeleton, mixer }, dt) {
  mixer.update(dt);
  root.updateMatrixWorld();
  skeleton.update();
}

{
  // The definition's own check.
  const one = character(0);
  step(one, 0.25);
  const p = new THREE.Vector3();
  let sum = 0;
  for (const bone of one.bones) {
    p.setFromMatrixPosition(bone.matrixWorld);
    sum += p.x + p.y + p.z;
  }
  if (!(sum > 149.45 && sum < 149.5)) throw new Error(`sum of translations ${sum}`);
}

const counts = process.argv.slice(2).map(Number);
for (const n of counts.length ? counts : [1, 100, 1000]) {
  const all = Array.from({ length: n }, (_, i) => character(i));
  const rounds = Math.max(1, Math.round(6000 / n));
  for (let r = 0; r < rounds; r++) for (const c of all) step(c, 1 / 60);
  let best = Infinity;
  for (let k = 0; k < 5; k++) {
    const start = process.hrtime.bigint();
    for (let r = 0; r < rounds; r++) for (const c of all) step(c, 1 / 60);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / (rounds * n));
  }
  console.log(`N=${n} d2 ${best.toFixed(0)} ns`);
}
