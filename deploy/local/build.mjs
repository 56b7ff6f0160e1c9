/**
 * Builds the project into dist/: the database client, then TypeScript, the files beside it, and the programs as bundles.
 * Skips steps whose sources have not changed.
 *
 *   node deploy/local/build.mjs [--generate-only]
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { bundlePrograms } from './bundle.mjs';
import { Progress } from './progress.mjs';
import { runQuietly } from './run-quietly.mjs';
import { swcOptions } from './swc-options.mjs';

const CACHE = 'node_modules/.cache/carillon';
const CLIENT = 'libs/platform/database/generated';
const SOURCES = ['apps', 'libs', 'prisma', 'bench', 'deploy', 'test/support'];
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const isTest = (file) => /([.-]spec|\.fixture)\.ts$/.test(file);
const isSource = (file) => file.endsWith('.ts') && !file.endsWith('.d.ts');
/** Files that are read at run time and not compiled: scripts of Redis, pages. */
const isAsset = (file) => /^(apps|libs)\//.test(file) && !/\.(ts|md)$/.test(file);

/**
 * The files of a folder, as paths from the root with forward slashes, sorted.
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(root, folder) {
  const top = path.join(root, folder);
  if (!fs.existsSync(top)) return [];
  return fs
    .readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .map((file) => file.split(path.sep).join('/'))
    .toSorted();
}

/**
 * Runs the work unless these files are unchanged since its last success.
 * @param {string} root
 * @param {string} name
 * @param {readonly string[]} files
 * @param {string} output what must exist for the work to be skipped
 * @param {() => Promise<void>} work
 */
async function whenChanged(root, name, files, output, work) {
  const hash = createHash('sha256').update(process.version);
  for (const file of files)
    hash.update(`\0${file}\0`).update(fs.readFileSync(path.join(root, file)));
  const digest = hash.digest('hex');
  const stamp = path.join(root, CACHE, `${name}.sha256`);
  const isFresh =
    fs.existsSync(path.join(root, output)) &&
    fs.existsSync(stamp) &&
    fs.readFileSync(stamp, 'utf8') === digest;
  if (isFresh) return;
  fs.rmSync(stamp, { force: true });
  await work();
  fs.mkdirSync(path.dirname(stamp), { recursive: true });
  fs.writeFileSync(stamp, digest);
}

/**
 * Generates the database client from prisma/schema.prisma.
 * @param {string} root
 * @param {Progress} progress
 */
export async function generateClient(root, progress) {
  const files = ['prisma/schema.prisma', 'prisma.config.ts', 'package-lock.json'];
  // `generate` runs in WebAssembly, yet looks for the native engine and would download it.
  // Any executable ends that search. The environment is passed on here, not read.
  const environment = {
    ...env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
  };
  await whenChanged(root, 'client', files, CLIENT, () =>
    progress.step('Generating the database client', () =>
      runQuietly(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], {
        cwd: root,
        env: environment,
      }),
    ),
  );
}

/**
 * Compiles a file without checking its types, which `npm run check` does. That is ten times faster.
 * @param {string} root
 * @param {string} file
 */
async function compile(root, file) {
  // Loaded here: this module is also loaded before the packages are installed.
  const { transformFile } = await import('@swc/core');
  const output = path.join(root, 'dist', file.replace(/ts$/, 'js'));
  const { code, map } = await transformFile(path.join(root, file), {
    ...swcOptions,
    sourceMaps: true,
    sourceFileName: path.relative(path.dirname(output), path.join(root, file)),
  });
  await fs.promises.mkdir(path.dirname(output), { recursive: true });
  const link = `//# sourceMappingURL=${path.basename(output)}.map\n`;
  await Promise.all([
    fs.promises.writeFile(output, `${code}${link}`),
    fs.promises.writeFile(`${output}.map`, map ?? ''),
  ]);
}

/**
 * Removes compiled files whose source was removed, so that nothing can import them.
 * @param {string} root
 */
function removeStaleOutputs(root) {
  for (const output of filesIn(root, 'dist')) {
    const asset = output.slice('dist/'.length);
    const source = asset.replace(/(\.d)?\.([cm]?)[jt]s(\.map)?$/, '.$2ts');
    const isOurs = SOURCES.some((folder) => source.startsWith(`${folder}/`));
    // Scripts of pages are copied, not compiled.
    const isStale = [source, asset].every((file) => !fs.existsSync(path.join(root, file)));
    if (isOurs && isStale) fs.rmSync(path.join(root, output));
  }
}

/**
 * @param {string} root
 * @param {Progress} progress
 */
export async function build(root, progress) {
  await generateClient(root, progress);
  const sources = SOURCES.flatMap((folder) => filesIn(root, folder)).filter(
    (file) => !isTest(file),
  );
  await whenChanged(root, 'build', [...sources, ...SETTINGS], 'dist', () =>
    progress.step('Building', async () => {
      await Promise.all(sources.filter(isSource).map((file) => compile(root, file)));
      for (const file of sources.filter(isAsset)) {
        const copy = path.join(root, 'dist', file);
        fs.mkdirSync(path.dirname(copy), { recursive: true });
        fs.copyFileSync(path.join(root, file), copy);
      }
      removeStaleOutputs(root);
      await bundlePrograms(root);
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const work = process.argv.includes('--generate-only') ? generateClient : build;
  try {
    await work(root, new Progress());
  } catch (error) {
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
