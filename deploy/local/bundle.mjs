import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';

const BUNDLES = 'dist/bundles';
/** Names the programs, the modules that they load from node_modules, and the packages that the bundles contain. */
const LIST = `${BUNDLES}/bundles.json`;

/** Packages that stay in node_modules; all others are part of the bundles. */
const EXTERNAL = [
  // Native code, WebAssembly, or files beside their modules.
  '@node-rs/argon2',
  '@prisma/',
  'libsodium-wrappers',
  'pino',
  'pino-pretty',
  // Prisma's adapter and tools that patch it must find the same module.
  'pg',
  // Large, and loaded by few installations or on first use.
  '@aws-sdk/',
  '@parse/node-apn',
  '@zxcvbn-ts/',
  'firebase-admin',
];
/** Nest imports them if they are installed. */
const NOT_INSTALLED = [
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'class-transformer',
  'class-validator',
];

const isOf = (name, packages) =>
  packages.some((prefix) =>
    prefix.endsWith('/') ? name.startsWith(prefix) : `${name}/`.startsWith(`${prefix}/`),
  );
const isOfNode = (name) => name.startsWith('node:') || builtinModules.includes(name);
const isExternal = (name) => isOfNode(name) || isOf(name, [...EXTERNAL, ...NOT_INSTALLED]);

/**
 * A script has no imports: `run-bundle.ts` gives it the function that loads external modules.
 * @param {Set<string>} installed gets the names of those that are in node_modules
 */
const externalModules = (installed) => ({
  name: 'external-modules',
  setup(build) {
    build.onResolve({ filter: /^[^.#/]/ }, ({ path: name, kind }) => {
      if (kind === 'entry-point' || !isExternal(name)) return undefined;
      if (!isOfNode(name) && !isOf(name, NOT_INSTALLED)) installed.add(name);
      // esbuild does not know the suffix.
      return { path: `${name} (external)`, namespace: 'external', pluginData: name };
    });
    build.onLoad({ filter: /./, namespace: 'external' }, ({ pluginData: name }) => ({
      contents: name.endsWith(WASM_TEXT)
        ? readWasmText(name)
        : `module.exports = requireExternal(${JSON.stringify(name)});`,
    }));
  },
});

/** A module of Prisma with WebAssembly in base64. */
const WASM_TEXT = '.wasm-base64.mjs';

/** The program reads it once. As a module it would stay in memory, twice: its text, and the string in it. */
const readWasmText = (name) => `
  Object.defineProperty(exports, 'wasm', {
    enumerable: true,
    get() {
      const file = requireExternal.resolve(${JSON.stringify(name)});
      return /"(.*)"/.exec(require('node:fs').readFileSync(file, 'latin1'))[1];
    },
  });`;

/** Maps modules of packages to the file only, with a mapping for its start: full maps would take 60 MB in a program. */
const coarsePackageMaps = {
  name: 'coarse-package-maps',
  setup(build) {
    const map = JSON.stringify({ version: 3, sources: [''], mappings: 'AAAA' });
    const comment = `//# sourceMappingURL=data:application/json;base64,${btoa(map)}`;
    build.onLoad({ filter: /node_modules.*\.[cm]?js$/ }, async ({ path: file }) => {
      const code = await fs.promises.readFile(file, 'utf8');
      return { contents: `${code}\n${comment}` };
    });
  },
};

/** Modules find the files beside them by `import.meta.url`: in a bundle it stays that of the module. */
const ownUrls = (dist) => ({
  name: 'own-urls',
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, async ({ path: file }) => {
      if (!file.startsWith(dist + path.sep)) return undefined;
      const code = await fs.promises.readFile(file, 'utf8');
      if (!code.includes('import.meta.url')) return undefined;
      const place = path.relative(dist, file).split(path.sep).join('/');
      return {
        contents: code.replaceAll('import.meta.url', `new URL('../${place}',bundleUrl).href`),
      };
    });
  },
});

/**
 * The function of esbuild that keeps names. It names only what esbuild has renamed: naming a closure takes most of a microsecond
 * each time that it is created, and requests create several. The name of an arrow function is empty here. Binding a named function
 * is slow, too: ioredis binds private functions, whose names begin with an underscore, for each number in an answer of Redis.
 */
const NAMING = 'var __name=(target,value)=>__defProp(target,"name",{value,configurable:true});';
const NAMING_RENAMED = NAMING.replace(
  '=>_',
  '=>target.name===value||target.name===""||value[0]==="_"?target:_',
);

/** The main module of each program, by its name. */
const programsOf = (root) => [
  ...fs.readdirSync(path.join(root, 'apps')).map((name) => [name, `dist/apps/${name}/src/main.js`]),
  ['migrate', 'dist/deploy/docker/migrate.js'],
];

/**
 * Replaces the main module of each program by a bundle of all modules that it imports, as one script in `dist/bundles`.
 * V8 can keep the compiled code of a script, but not that of a module of ES.
 * @param {string} root
 */
export async function bundlePrograms(root) {
  // Loaded here: this module is also loaded before the packages are installed.
  const { build, stop } = await import('esbuild');
  fs.rmSync(path.join(root, BUNDLES), { recursive: true, force: true });
  const programs = programsOf(root);
  const installed = new Set();
  let inputs;
  try {
    const result = await build({
      absWorkingDir: root,
      entryPoints: programs.map(([name, main]) => ({ in: main, out: name })),
      outdir: BUNDLES,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      sourcemap: true,
      sourcesContent: false,
      // V8 keeps the text of a script in memory.
      minifyWhitespace: true,
      // Node prints the line of an error.
      lineLimit: 160,
      legalComments: 'none',
      // The modules of packages.
      define: { 'import.meta.url': 'bundleUrl' },
      // Logs and dependency injection show the names of classes.
      keepNames: true,
      // The paths of tsconfig.json are those of the sources.
      tsconfigRaw: {},
      logLevel: 'silent',
      metafile: true,
      plugins: [externalModules(installed), coarsePackageMaps, ownUrls(path.join(root, 'dist'))],
      banner: {
        js: "(async(require,requireExternal,bundleUrl,__filename,__dirname)=>{'use strict';",
      },
      footer: { js: '})' },
    });
    inputs = Object.keys(result.metafile.inputs);
  } finally {
    // Else its process, of 400 MB, lives as long as this one.
    await stop();
  }
  for (const [name, main] of programs) finish(root, name, main);
  if (![...installed].some((name) => name.endsWith(WASM_TEXT)))
    throw new Error('Prisma keeps its WebAssembly in another way than expected');
  const packages = inputs.flatMap((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  const list = {
    programs: Object.fromEntries(programs),
    externalModules: [...installed].toSorted(),
    packages: [...new Set(packages)].toSorted(),
  };
  fs.writeFileSync(path.join(root, LIST), JSON.stringify(list));
}

/**
 * @param {string} root
 * @param {string} name
 * @param {string} main
 */
function finish(root, name, main) {
  const bundle = path.join(root, BUNDLES, `${name}.js`);
  const built = fs.readFileSync(bundle, 'utf8');
  if (!built.includes(NAMING)) throw new Error('esbuild keeps names in another way than expected');
  // One character outside of ASCII would double the memory of the text.
  const code = built
    .replace(NAMING, NAMING_RENAMED)
    .replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  fs.writeFileSync(bundle, code);
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const toDist = path.posix.relative(path.posix.dirname(main), 'dist');
  fs.writeFileSync(
    path.join(root, main),
    `import { runBundle } from '${toDist}/deploy/local/run-bundle.js';\n\n` +
      `await runBundle(new URL('${toDist}/bundles/${name}.js', import.meta.url), '${hash}');\n`,
  );
}
