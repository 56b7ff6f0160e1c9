import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { type AnyManifest, typeFaults } from '#test/manifest-types';
import { hasKubectl } from '../engine.js';
import { render } from './manifests.js';
import { asJson, downloadTypes, operatorTypeOf, RELEASES } from './published-types.js';

jest.setTimeout(600_000);

const FOLDER = 'deploy/kubernetes';
const folder = hasKubectl ? downloadTypes() : undefined;
if (!hasKubectl) process.stderr.write('Skipped: the schemas of Kubernetes need kubectl.\n');

const listed = (kind: string) => readdirSync(`${FOLDER}/${kind}`).map((name) => `${kind}/${name}`);

/** Each overlay, and each component on the base and on the overlay. */
const renderings: readonly (readonly [string, ...string[]])[] = [
  ['base'],
  ...listed('overlays').map((overlay) => [overlay] as const),
  ...listed('components').map((component) => ['base', component] as const),
  ['overlays/production', 'components/relay'],
];

/** The manifests of a base or overlay with components. */
function renderTogether([base, ...components]: readonly [string, ...string[]]) {
  const root = mkdtempSync(path.join(tmpdir(), 'carillon-rendering-'));
  const parts = (names: readonly string[]) =>
    JSON.stringify(names.map((name) => path.relative(root, path.resolve(FOLDER, name))));
  const text = `resources: ${parts([base])}\ncomponents: ${parts(components)}\n`;
  writeFileSync(path.join(root, 'kustomization.yaml'), text);
  try {
    return render(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

(folder === undefined ? describe.skip : describe)('The rendered manifests', () => {
  const place = folder ?? '';
  const check = (manifests: readonly AnyManifest[], typeOf = RELEASES[0]?.typeOf) =>
    typeFaults(manifests, {
      file: path.join(place, 'checked-manifests.ts'),
      adapt: asJson,
      typeOf: (one) => operatorTypeOf(place, one) ?? typeOf?.(place, one) ?? neverHere(one),
    });
  const rendered = folder === undefined ? [] : renderings.flatMap(renderTogether);
  const ofOperators = rendered.filter((one) => operatorTypeOf(place, one) !== undefined);
  const ofKubernetes = rendered.filter((one) => !ofOperators.includes(one));

  afterAll(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  it.each(RELEASES)('match the types of Kubernetes $release', ({ typeOf }) => {
    expect(ofKubernetes.length).toBeGreaterThan(100);
    expect(check(ofKubernetes, typeOf)).toEqual([]);
  });

  it.each(RELEASES)('would not match those of $release with a wrong member', ({ typeOf }) => {
    const deployment = ofKubernetes.find(({ kind }) => kind === 'Deployment');
    const wrong = { ...deployment, spec: { ...deployment?.spec, replica: 3 } } as AnyManifest;
    const policy = ofKubernetes.find(({ kind }) => kind === 'NetworkPolicy');
    const other = { ...policy, spec: { podSelector: {}, ingress: [{ from: 'all' }] } };
    expect(check([wrong, other as unknown as AnyManifest], typeOf)).toEqual([
      expect.stringMatching('^Deployment .*replica.* does not exist'),
      expect.stringMatching("^NetworkPolicy .*'string' is not assignable"),
    ]);
  });

  it('match the types of KEDA and of the Prometheus Operator', () => {
    expect(new Set(ofOperators.map(({ kind }) => kind))).toEqual(
      new Set(['ScaledObject', 'PodMonitor', 'PrometheusRule']),
    );
    expect(check(ofOperators)).toEqual([]);
    const [first] = ofOperators;
    const wrong = { ...first, spec: { ...first?.spec, unknown: 1 } } as AnyManifest;
    expect(check([wrong])).toEqual([expect.stringMatching('unknown.* does not exist')]);
  });
});

function neverHere({ apiVersion, kind }: AnyManifest): never {
  throw new Error(`No package has the type of ${apiVersion} ${kind}`);
}
