/**
 * `npm run lock:complete`, after a change of dependencies: adds optional packages of other platforms to
 * package-lock.json if the registry in use does not offer them.
 *
 * npm omits such a package from the lock file, and `npm ci` then rejects that file on every platform. The entries have
 * no checksum; npm adds it where the package is available. Version, operating system and processor follow from the
 * dependency of the parent and from the package name.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const LOCK = 'package-lock.json';
const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];
const armLibraries = /(gnu|musl)?eabi(hf)?$/;

/** @param {string} name @param {string} version @param {boolean} isDev */
function entryOf(name, version, isDev) {
  const words = name.split(/[-/]/);
  const cpu = processors.find((one) => words.includes(one));
  const os = systems.find((one) => words.includes(one));
  const library = words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc';
  const namesLibrary = words.some((word) => /^(gnu|musl)/.test(word));
  return {
    version,
    ...(cpu || armLibraries.test(name) ? { cpu: [cpu ?? 'arm'] } : {}),
    ...(isDev ? { dev: true } : {}),
    ...(os === 'linux' && namesLibrary ? { libc: [library] } : {}),
    optional: true,
    ...(os ? { os: [os] } : {}),
  };
}

const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
const added = [];
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    // Only exact versions: a range is for npm to resolve.
    if (lock.packages[place] || !/^\d+\.\d+\.\d+/.test(version)) continue;
    lock.packages[place] = entryOf(name, version, parent.dev === true);
    added.push(name);
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).toSorted(([one], [other]) => (one < other ? -1 : 1)),
);
writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'The lock file is complete.' : `Added:\n  ${added.join('\n  ')}`);
