import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AnyManifest, ManifestType } from '#test/manifest-types';

/** Packages of npm with the types of resources, which are generated from the schemas of a release. */
const PACKAGES = {
  'kubernetes-1.34': '@kubernetes/client-node@1.4.0',
  'kubernetes-1.35': '@pulumi/kubernetes@4.28.0',
  'kubernetes-1.36': '@kubernetes/client-node@2.0.1',
  'keda.sh': '@kubernetes-models/keda@2.0.0',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator@6.0.0',
  // What the two before refer to.
  'node_modules/@kubernetes-models/base': '@kubernetes-models/base@6.0.1',
  'node_modules/@kubernetes-models/apimachinery': '@kubernetes-models/apimachinery@3.0.2',
};

/** The types of one release of Kubernetes in a downloaded package. */
interface Release {
  readonly release: string;
  readonly typeOf: (folder: string, manifest: AnyManifest) => ManifestType;
}

const groupOf = ({ apiVersion }: AnyManifest) =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : 'core';
const versionOf = ({ apiVersion }: AnyManifest) => apiVersion.split('/').at(-1) ?? '';
const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Of the JavaScript client of Kubernetes: a class for each version of a resource. */
const ofClient = (release: string): Release => ({
  release,
  typeOf: (folder, manifest) => {
    const name = `${upperFirst(versionOf(manifest))}${manifest.kind}`;
    return { module: `${folder}/kubernetes-${release}/dist/gen/models/${name}.js`, name };
  },
});

export const RELEASES: readonly Release[] = [
  ofClient('1.34'),
  {
    release: '1.35',
    typeOf: (folder, manifest) => ({
      module: `${folder}/kubernetes-1.35/types/input`,
      name: `${groupOf(manifest).replace('.k8s.io', '')}.${versionOf(manifest)}.${manifest.kind}`,
    }),
  },
  ofClient('1.36'),
];

/** The resource of an operator, or undefined if none of the packages has it. */
export function operatorTypeOf(folder: string, manifest: AnyManifest): ManifestType | undefined {
  const group = groupOf(manifest);
  if (!(group in PACKAGES)) return undefined;
  const { kind } = manifest;
  return { module: `${folder}/${group}/${group}/${versionOf(manifest)}/${kind}`, name: `I${kind}` };
}

/** Puts the names of JSON into declarations, which have `_from` for a word that JavaScript reserves. */
export const asJson = (text: string): string => text.replaceAll(/^(\s+')_(?=\w+'\??:)/gm, '$1');

/** Downloads the packages into a temporary folder; undefined, with a line that says why, where they cannot be had. */
export function downloadTypes(): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'carillon-types-'));
  for (const [place, name] of Object.entries(PACKAGES)) {
    const target = path.join(folder, place);
    mkdirSync(target, { recursive: true });
    const download = `tar --extract --gzip --strip-components=1 --file "$(npm pack --silent ${name})"`;
    const { status, stderr } = spawnSync('bash', ['-euc', download], { cwd: target });
    if (status !== 0) {
      process.stderr.write(`Skipped: npm has no ${name}: ${stderr.toString().trim()}\n`);
      rmSync(folder, { recursive: true });
      return undefined;
    }
  }
  // Of one package they allow values to come everywhere.
  const values = path.join(folder, 'node_modules/@pulumi/pulumi');
  mkdirSync(values, { recursive: true });
  writeFileSync(path.join(values, 'index.d.ts'), 'export type Input<Value> = Value;\n');
  return folder;
}
