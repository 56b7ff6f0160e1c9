import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Message, type OnResolveArgs, type Plugin } from 'esbuild';
import { lateModules } from '#platform/markdown';

/** What the build writes about the bundles. */
interface Bundles {
  /** The main module of each program, by its name. */
  readonly programs: Readonly<Record<string, string>>;
  readonly externalModules: readonly string[];
  /** The folders of the packages whose code the bundles contain. */
  readonly packages: readonly string[];
}

/** Files of packages that programs read or serve; a folder stands for all files in it. */
const READ_FILES = [
  '@bull-board/ui/package.json',
  '@bull-board/ui/dist',
  'emojibase-data/en/compact.json',
  ...['cldr', 'emojibase', 'github', 'iamcal', 'joypixels'].map(
    (name) => `emojibase-data/en/shortcodes/${name}.json`,
  ),
  'swagger-ui-dist/favicon-32x32.png',
  'swagger-ui-dist/package.json',
  'swagger-ui-dist/swagger-ui-bundle.js',
  'swagger-ui-dist/swagger-ui.css',
  'uplot/dist/uPlot.esm.js',
  'uplot/dist/uPlot.min.css',
].map((file) => `node_modules/${file}`);

/** Ways to load a module by a name that is computed, so that nothing tells that the image needs the module. */
const COMPUTED_NAMES = [
  'unsupported-require-call',
  'unsupported-dynamic-import',
  'require-resolve-not-external',
  'indirect-require',
];
/** Modules with such names that are of no use here. */
const COMPUTES_NAMES: ReadonlySet<string> = new Set([
  // A library that a variable of the environment names.
  'node_modules/@node-rs/argon2/index.js',
]);

export const readBundles = (root: string): Bundles =>
  // The build writes this file in this shape.
  JSON.parse(readFileSync(path.join(root, 'dist/bundles/bundles.json'), 'utf8')) as Bundles;

/**
 * The files of a built project that the image needs, as paths from its root, sorted: the bundles with what they load, and
 * the licences of all packages that are part of them. Throws for a missing module.
 */
export async function imageFiles(root: string): Promise<string[]> {
  const { programs, externalModules, packages } = readBundles(root);
  const modules = await modulesOf(root, [...externalModules, ...lateModules]);
  const loaded = [...modules, ...READ_FILES.flatMap((file) => filesAt(root, file))];
  const files = [
    'package.json',
    ...filesAt(root, 'prisma/migrations'),
    ...Object.keys(programs).flatMap((name) => [
      `dist/bundles/${name}.js`,
      `dist/bundles/${name}.js.map`,
    ]),
    ...Object.values(programs),
    'dist/deploy/local/run-bundle.js',
    ...['apps', 'libs'].flatMap((folder) => assetsIn(root, folder)),
    ...loaded,
    ...loaded.flatMap((file) => descriptionsOf(root, file)),
    ...[...packages, ...loaded.map(packageOf)].flatMap((folder) => noticesOf(root, folder)),
  ];
  return [...new Set(files)].toSorted();
}

/** All files below a folder, or the file itself. */
function filesAt(root: string, place: string): string[] {
  const absolute = path.join(root, place);
  if (path.extname(place) !== '') return existsSync(absolute) ? [place] : missing(place);
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

function missing(place: string): never {
  throw new Error(`The image needs ${place}, which is not there`);
}

/** Scripts of Redis and pages: the build copies them beside the modules. */
const assetsIn = (root: string, folder: string): string[] =>
  filesAt(root, folder)
    .filter((file) => !/\.(ts|md)$/.test(file))
    .map((file) => `dist/${file}`);

const packageOf = (file: string): string =>
  /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? missing(`the package of ${file}`);

/** Each package.json that Node reads to resolve a module. */
function descriptionsOf(root: string, file: string): string[] {
  const found: string[] = [];
  for (let folder = path.dirname(file); folder.includes('/'); folder = path.dirname(folder)) {
    const description = `${folder}/package.json`;
    if (existsSync(path.join(root, description))) found.push(description);
    if (folder === packageOf(file)) break;
  }
  return found;
}

/** Name, version and licence of a package, for whom redistributes it and for tools that list the packages of an image. */
const noticesOf = (root: string, folder: string): string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter(({ name }) => name === 'package.json' || /^(licen[cs]e|notice|copying)/i.test(name))
    .map(({ name }) => `${folder}/${name}`);

/** The modules of packages that these modules load, statically or on demand. */
async function modulesOf(root: string, names: readonly string[]): Promise<string[]> {
  const { metafile, warnings } = await build({
    absWorkingDir: root,
    stdin: {
      contents: names.map((name) => `require(${JSON.stringify(name)});`).join('\n'),
      resolveDir: root,
    },
    bundle: true,
    write: false,
    outdir: 'dist',
    metafile: true,
    // As Node resolves modules.
    platform: 'node',
    conditions: ['module-sync'],
    mainFields: ['main'],
    loader: { '.node': 'copy', '.wasm': 'copy' },
    // Programs load modules of which they use nothing, too.
    ignoreAnnotations: true,
    logLevel: 'silent',
    logOverride: Object.fromEntries(COMPUTED_NAMES.map((kind) => [kind, 'warning'])),
    plugins: [optionalModules],
  });
  const unknown = warnings.filter(({ location }) => !COMPUTES_NAMES.has(location?.file ?? ''));
  if (unknown.length > 0) throw new Error(unknown.map(textOf).join('\n'));
  return Object.keys(metafile.inputs).filter((file) => file.includes('node_modules/'));
}

const textOf = ({ location, text }: Message) => `${location?.file}:${location?.line}: ${text}`;

/** Packages load native code for another platform, or a package that is not installed, if it is there. */
const optionalModules: Plugin = {
  name: 'optional-modules',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /./ }, async ({ pluginData, ...args }: OnResolveArgs) => {
      if (pluginData !== undefined || args.kind === 'entry-point') return undefined;
      const { importer, resolveDir, kind, namespace } = args;
      const found = await resolve(args.path, {
        importer,
        resolveDir,
        kind,
        namespace,
        pluginData: true,
      });
      if (found.errors.length === 0) return found;
      if (importer.includes('node_modules')) return { path: args.path, external: true };
      return missing(args.path);
    });
  },
};
