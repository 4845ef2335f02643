// Written by `enliven export-shader`. Puts the vertex function of enliven into a material of three.js.
import pars from './enliven_pars_vertex.glsl?raw';
import beginNormal from './enliven_beginnormal_vertex.glsl?raw';
import begin from './enliven_begin_vertex.glsl?raw';

// `uniforms`: { enlivenPalette: { value }, … } as enliven.json lists them; share one object between
// body, fur and depth materials, and all of them move together. Earlier patches are kept.
export function patch(material, uniforms) {
  const before = material.onBeforeCompile?.bind(material);
  const key = material.customProgramCacheKey?.bind(material);
  material.onBeforeCompile = (shader, renderer) => {
    before?.(shader, renderer);
    Object.assign(shader.uniforms, uniforms);
    // A SkinnedMesh declares these itself; an instanced shell is a plain mesh.
    const declared = `#ifndef USE_SKINNING\nattribute vec4 skinIndex;\nattribute vec4 skinWeight;\n#endif\n`;
    shader.vertexShader = declared + shader.vertexShader
      .replace('void main() {', `${pars}\nvoid main() {`)
      .replace('#include <beginnormal_vertex>', beginNormal)
      .replace('#include <begin_vertex>', begin)
      .replace('#include <skinnormal_vertex>', '')
      .replace('#include <skinning_vertex>', '');
  };
  material.customProgramCacheKey = () => `${key?.() ?? ''}|enliven:${pars.length}`;
  material.needsUpdate = true;
  return material;
}
