// Loads each VRM file named on standard input and prints, one line of JSON a file, what three-vrm
// makes of it: humanoid, expressions by their effect, look-at by its effect, springs.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { VRMLoaderPlugin } from '@pixiv/three-vrm';

globalThis.self ??= globalThis;

// Pictures need a browser; nothing here depends on them.
const pictures = () => ({
  name: 'NO_PICTURES',
  loadTexture: () => {
    const texture = new THREE.DataTexture(new Uint8Array(4), 1, 1);
    return Promise.resolve(texture);
  },
});

function load(path) {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMLoaderPlugin(parser));
  loader.register(pictures);
  const bytes = readFileSync(path);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return new Promise((resolve, reject) => loader.parse(buffer, '', resolve, reject));
}

const round = (v) => Math.round(v * 1e5) / 1e5 + 0;
const list = (array) => Array.from(array, round);

// Every morph weight and colour that is not as at rest.
function effect(vrm) {
  const out = {};
  vrm.scene.traverse((object) => {
    const weights = object.morphTargetInfluences;
    if (weights) {
      weights.forEach((w, i) => {
        if (Math.abs(w) > 1e-6) out[`${object.name} target ${i}`] = round(w);
      });
    }
  });
  for (const material of vrm.materials ?? []) {
    if (material.isMToonMaterial && !material.isOutline) {
      const { color, emissive, shadeColorFactor } = material;
      out[`${material.name} colour`] = list(color.toArray());
      // Which share of the light is colour and which is strength does not matter.
      const light = emissive.clone().multiplyScalar(material.emissiveIntensity ?? 1);
      out[`${material.name} emissive`] = list(light.toArray());
      out[`${material.name} shade`] = list(shadeColorFactor.toArray());
    }
  }
  return out;
}

function expressions(vrm) {
  const out = {};
  const manager = vrm.expressionManager;
  if (!manager) return out;
  for (const e of manager.expressions) {
    const name = e.expressionName;
    manager.resetValues?.();
    for (const other of manager.expressions) manager.setValue(other.expressionName, 0);
    manager.setValue(name, 0.8);
    manager.update();
    out[name] = {
      binary: e.isBinary,
      overrides: [e.overrideBlink, e.overrideLookAt, e.overrideMouth],
      effect: effect(vrm),
    };
    manager.setValue(name, 0);
    manager.update();
  }
  return out;
}

// Where the eyes turn (model space) and which expressions rise, for some directions.
function looks(vrm) {
  const out = [];
  if (!vrm.lookAt) return out;
  for (const [yaw, pitch] of [[30, 0], [-50, 10], [15, -35], [0, 60]]) {
    vrm.humanoid.resetNormalizedPose();
    vrm.lookAt.yaw = yaw;
    vrm.lookAt.pitch = pitch;
    vrm.lookAt.update(0);
    vrm.humanoid.update();
    vrm.scene.updateMatrixWorld(true);
    const eyes = ['leftEye', 'rightEye'].map((bone) => {
      const node = vrm.humanoid.getRawBoneNode(bone);
      if (!node) return null;
      const rest = vrm.humanoid.rawRestPose[bone]?.rotation ?? [0, 0, 0, 1];
      const q = new THREE.Quaternion(...rest).invert().premultiply(node.quaternion);
      return list([2 * Math.acos(Math.min(1, Math.abs(q.w)))]);
    });
    const values = {};
    for (const name of ['lookUp', 'lookDown', 'lookLeft', 'lookRight']) {
      values[name] = round(vrm.expressionManager?.getValue(name) ?? 0);
    }
    out.push({ yaw, pitch, eyes, values });
  }
  vrm.lookAt.reset?.();
  const { faceFront, offsetFromHeadBone, applier } = vrm.lookAt;
  const kind = applier?.constructor?.type ?? '';
  return { out, offset: list(offsetFromHeadBone.toArray()), kind };
}

function springs(vrm) {
  const joints = [...(vrm.springBoneManager?.joints ?? [])].map((joint) => {
    const s = joint.settings;
    const tail = joint.child
      ? joint.child.position.clone()
      : joint.bone.position.clone().normalize().multiplyScalar(0.07);
    const colliders = joint.colliderGroups.flatMap((g) =>
      g.colliders.map((c) => {
        const { type, offset, tail, radius } = c.shape;
        const at = offset ? list(offset.toArray()) : [];
        return `${c.parent?.name} ${type} ${at} ${tail ? list(tail.toArray()) : ''} ${round(radius ?? 0)}`;
      }),
    );
    return {
      bone: joint.bone.name,
      tail: list(tail.toArray()),
      stiffness: round(s.stiffness),
      gravity: list(s.gravityDir.clone().multiplyScalar(s.gravityPower).toArray()),
      drag: round(s.dragForce),
      radius: round(s.hitRadius),
      center: joint.center?.name ?? null,
      colliders: colliders.sort(),
    };
  });
  return joints.sort((a, b) => (a.bone < b.bone ? -1 : 1));
}

for await (const path of createInterface({ input: process.stdin })) {
  try {
    const gltf = await load(path);
    const vrm = gltf.userData.vrm;
    if (!vrm) throw new Error('three-vrm finds no person');
    const bones = {};
    for (const [bone, { node }] of Object.entries(vrm.humanoid.humanBones)) bones[bone] = node.name;
    const report = {
      path,
      meta: vrm.meta?.metaVersion,
      bones,
      expressions: expressions(vrm),
      look: looks(vrm),
      springs: springs(vrm),
    };
    console.log(JSON.stringify(report));
  } catch (error) {
    console.log(JSON.stringify({ path, error: String(error?.stack ?? error) }));
  }
}
