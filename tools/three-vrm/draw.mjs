// Draws with three-vrm, in a headless Chromium, what a list of scenes asks for: one PNG a scene.
//
//   node draw.mjs SCENES.json FOLDER [ASSETS]
//
// A scene: { name, file, size: [w, h], eye, target, fov (degrees, vertical), light (towards it),
// time (seconds), back: [r, g, b] (0..255) }. A file `assets/…` is looked for in the folder ASSETS,
// any other beside the list. Light: one white lamp of the strength that shows colours as they are
// authored, no shadows. $CHROMIUM names the browser (else `chromium`, by apt).
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, resolve } from 'node:path';

const [list, folder, assets] = process.argv.slice(2);
if (!list || !folder) {
  console.error('usage: node draw.mjs SCENES.json FOLDER [ASSETS]');
  process.exit(2);
}
const scenes = JSON.parse(readFileSync(list, 'utf8'));
const here = import.meta.dirname;
const PATIENCE = 300_000; // ms: a software rasteriser on a busy machine is slow

const page = `<!doctype html><script type="importmap">{"imports": {
  "three": "/node_modules/three/build/three.module.js",
  "three/addons/": "/node_modules/three/examples/jsm/",
  "@pixiv/three-vrm": "/node_modules/@pixiv/three-vrm/lib/three-vrm.module.js"
}}</script><script type="module">
const tell = (path, body) => fetch(path, { method: 'POST', body });
try {
  const THREE = await import('three');
  const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
  const { VRMLoaderPlugin, VRMUtils } = await import('@pixiv/three-vrm');
  for (const [index, scene] of (await (await fetch('/scenes')).json()).entries()) {
    const [width, height] = scene.size;
    const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    renderer.setPixelRatio(1);
    renderer.setSize(width, height);
    const stage = new THREE.Scene();
    stage.background = new THREE.Color().setRGB(...scene.back.map((c) => c / 255), THREE.SRGBColorSpace);
    const camera = new THREE.PerspectiveCamera(scene.fov, width / height, 0.05, 100);
    camera.position.set(...scene.eye);
    camera.lookAt(...scene.target);
    const light = new THREE.DirectionalLight(0xffffff, Math.PI);
    light.position.set(...scene.light);
    stage.add(light);
    const loader = new GLTFLoader();
    loader.register((parser) => new VRMLoaderPlugin(parser));
    const gltf = await loader.loadAsync('/file/' + index);
    const vrm = gltf.userData.vrm;
    // Persons of 0.x look along −Z.
    if (vrm) VRMUtils.rotateVRM0(vrm);
    stage.add(gltf.scene);
    gltf.scene.traverse((object) => {
      const materials = object.material ? [object.material].flat() : [];
      for (const material of materials) {
        if (material.isMToonMaterial) material.update(scene.time);
      }
    });
    renderer.render(stage, camera);
    const blob = await new Promise((done) => renderer.domElement.toBlob(done, 'image/png'));
    await tell('/picture/' + index, blob);
    renderer.dispose();
  }
  await tell('/done', '');
} catch (error) {
  await tell('/failed', String(error?.stack ?? error));
}
</script>`;

const body = async (request) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
};
const fileOf = (scene) =>
  scene.file.startsWith('assets/')
    ? join(assets ?? '', scene.file.slice('assets/'.length))
    : join(dirname(resolve(list)), scene.file);

let end;
const ended = new Promise((done) => (end = done));
const server = createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://here').pathname);
  const index = Number(path.split('/').pop());
  const send = (type, data) => response.writeHead(200, { 'content-type': type }).end(data);
  try {
    if (path === '/') send('text/html', page);
    else if (path === '/scenes') send('application/json', JSON.stringify(scenes));
    else if (path.startsWith('/file/')) send('model/gltf-binary', readFileSync(fileOf(scenes[index])));
    else if (path.startsWith('/node_modules/')) {
      send('text/javascript', readFileSync(join(here, normalize(path))));
    } else if (path.startsWith('/picture/')) {
      writeFileSync(join(folder, `${scenes[index].name}.png`), await body(request));
      console.log(scenes[index].name);
      send('text/plain', '');
    } else if (path === '/done') {
      send('text/plain', '');
      end('');
    } else if (path === '/failed') {
      const reason = String(await body(request));
      send('text/plain', '');
      end(reason);
    } else response.writeHead(404).end();
  } catch (error) {
    response.writeHead(404).end(String(error));
  }
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const profile = mkdtempSync(join(tmpdir(), 'three-vrm-'));
const browser = spawn(
  process.env.CHROMIUM ?? 'chromium',
  [
    '--headless=new',
    '--no-sandbox',
    '--no-first-run',
    '--disable-dev-shm-usage',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--force-color-profile=srgb',
    `--user-data-dir=${profile}`,
    `http://127.0.0.1:${server.address().port}/`,
  ],
  { stdio: 'ignore' },
);
browser.on('error', () => end('there is no Chromium: `apt install chromium`, or name one in $CHROMIUM'));
browser.on('exit', () => end('the browser ended before its work was done'));
setTimeout(() => end('no picture came in time'), PATIENCE);
const reason = await ended;
browser.kill();
server.close();
try {
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
} catch {
  // A browser that is still closing writes into it.
}
if (reason) console.error(`error: ${reason}`);
process.exit(reason ? 1 : 0);
