import fs from 'node:fs';
import path from 'node:path';

const CHUNKS = 'dist/chunks';
/** Programs that are running import chunks of their own build. */
const CHUNK_LIFE_MS = 86_400_000;

/**
 * Packages of many modules, which Node would load one by one: half of the CPU time of a start. No package outside of the
 * bundles imports them, so that each is loaded once. All other packages stay in node_modules.
 */
const BUNDLED = [
  '@nestjs/',
  'bullmq',
  'cron-parser',
  'ioredis',
  'iterare',
  'rxjs',
  'semver',
  'zod',
];
/** Nest imports them if they are installed. */
const NOT_INSTALLED = ['@nestjs/microservices', '@nestjs/platform-express', '@nestjs/websockets'];

const isOf = (name, packages) =>
  packages.some((prefix) =>
    prefix.endsWith('/') ? name.startsWith(prefix) : `${name}/`.startsWith(`${prefix}/`),
  );
const isBundled = (name) => isOf(name, BUNDLED) && !isOf(name, NOT_INSTALLED);

/** Leaves the imports of packages as they are. */
const externalPackages = {
  name: 'external-packages',
  setup(build) {
    build.onResolve({ filter: /^[^.#/]/ }, ({ path: name, kind }) =>
      kind === 'entry-point' || isBundled(name) ? undefined : { path: name, external: true },
    );
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
      const url = `import.meta.url.replace(/^(.*\\/dist\\/).*$/, '$1${place}')`;
      return { contents: code.replaceAll('import.meta.url', () => url) };
    });
  },
});

/**
 * @param {string} folder
 */
function removeOldChunks(folder) {
  if (!fs.existsSync(folder)) return;
  for (const file of fs.readdirSync(folder).map((name) => path.join(folder, name))) {
    if (Date.now() - fs.statSync(file).mtimeMs > CHUNK_LIFE_MS) fs.rmSync(file);
  }
}

/**
 * Bundles the main module of each program with all modules that it imports. A start of a program then loads some ten
 * files instead of thousands, in half of the time. Modules of several programs, and those that are imported later, are in
 * `dist/chunks`.
 * @param {string} root
 */
export async function bundlePrograms(root) {
  // Loaded here: this module is also loaded before the packages are installed.
  const { build, stop } = await import('esbuild');
  removeOldChunks(path.join(root, CHUNKS));
  const programs = fs.readdirSync(path.join(root, 'apps'));
  try {
    await build({
      absWorkingDir: root,
      entryPoints: programs.map((name) => `dist/apps/${name}/src/main.js`),
      outdir: 'dist',
      outbase: 'dist',
      allowOverwrite: true,
      chunkNames: 'chunks/[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      sourcemap: true,
      // Logs and dependency injection show the names of classes.
      keepNames: true,
      // The paths of tsconfig.json are those of the sources.
      tsconfigRaw: {},
      logLevel: 'silent',
      plugins: [externalPackages, ownUrls(path.join(root, 'dist'))],
      // For the packages in CommonJS.
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
    });
  } finally {
    // Else its process, of 400 MB, lives as long as this one.
    await stop();
  }
}
