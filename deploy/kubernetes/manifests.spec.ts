import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { variableReference } from '#platform/config';
import { queueNames } from '#push/jobs';
import { type AnyManifest, typeFaults } from '#test/manifest-types';
import { parseAllDocuments } from 'yaml';
import { PROMETHEUS_RULE_FILE, prometheusRule } from './prometheus-rule.js';

const root = new URL('../../', import.meta.url);
const textOf = (file: string) => readFileSync(new URL(file, root), 'utf8');
const FOLDER = 'deploy/kubernetes';

interface Manifest extends AnyManifest {
  readonly spec?: Record<string, unknown>;
}

const parse = (text: string): Manifest[] =>
  parseAllDocuments(text, { strict: true }).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });

const files = readdirSync(new URL(FOLDER, root), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && !file.endsWith('kustomization.yaml'))
  .map((file) => `${FOLDER}/${file}`);

const manifests = files.flatMap((file) => parse(textOf(file)));

/** The module of kubernetes-types for a version of the API: `v1` is core. */
const moduleOf = (apiVersion: string): string => {
  const [group = '', version] = apiVersion.includes('/')
    ? apiVersion.split('/')
    : ['core', apiVersion];
  return `kubernetes-types/${group.replace('.k8s.io', '')}/${version}`;
};

const faultsOf = (checked: readonly Manifest[]): string[] =>
  typeFaults(checked, {
    typeOf: ({ apiVersion, kind }) => ({ module: moduleOf(apiVersion), name: kind }),
    file: fileURLToPath(new URL(`${FOLDER}/checked-manifests.ts`, root)),
  });

/** Resources of operators have no types in the package. */
const isOfKubernetes = ({ apiVersion }: Manifest) =>
  !/keda|monitoring|cnpg|postgresql/.test(apiVersion);

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly unknown[];
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly port: string };
}

interface Pod {
  readonly containers: readonly Container[];
  readonly volumes?: readonly unknown[];
}

const podOf = (manifest: Manifest | undefined): Pod => {
  const spec = manifest?.spec as { template?: { spec: Pod } } | undefined;
  return spec?.template?.spec ?? { containers: [] };
};
const containersOf = (manifest: Manifest | undefined) => podOf(manifest).containers;
interface Scaling {
  readonly replicas?: number;
  readonly maxReplicas?: number;
  readonly maxReplicaCount?: number;
  readonly scaleTargetRef?: { readonly name: string };
  readonly strategy?: { readonly rollingUpdate: { readonly maxSurge: number } };
}

const scalingOf = ({ spec }: Manifest) => (spec ?? {}) as Scaling;

/** How many pods of a deployment run at most, with those that a deploy adds. */
function mostPods(deployment: Manifest): number {
  const scaler = manifests.find(
    (other) => scalingOf(other).scaleTargetRef?.name === deployment.metadata.name,
  );
  const { maxReplicas, maxReplicaCount } = scaler === undefined ? {} : scalingOf(scaler);
  const { replicas = 0, strategy } = scalingOf(deployment);
  return (maxReplicas ?? maxReplicaCount ?? replicas) + (strategy?.rollingUpdate.maxSurge ?? 0);
}

/** The connections to PostgreSQL that a pod of a deployment opens: those of its pool, and one for `/health/ready`. */
function connectionsOf(deployment: Manifest): number {
  const own = containersOf(deployment)
    .flatMap(({ env }) => env)
    .find(({ name }) => name === 'DATABASE_POOL_SIZE');
  const [, common] = /^DATABASE_POOL_SIZE=(\d+)$/m.exec(textOf(`${FOLDER}/base/config.env`)) ?? [];
  return Number(own?.value ?? common) + 1;
}

/** Those of our programs. */
const containers = manifests.flatMap(containersOf).filter(({ image }) => image === 'carillon');

describe('the manifests for Kubernetes', () => {
  it('match the types of the API of Kubernetes', () => {
    const checked = manifests.filter(isOfKubernetes);
    expect(checked.length).toBeGreaterThan(20);
    expect(faultsOf(checked)).toEqual([]);
  });

  it('would not match with an unknown member', () => {
    const first = manifests.find(({ kind }) => kind === 'Deployment');
    const wrong = { ...first, spec: { ...first?.spec, replica: 3 } } as unknown as Manifest;
    expect(faultsOf([wrong])).toHaveLength(1);
  });

  it('set only variables that a program reads', () => {
    const names = containers.flatMap(({ env }) => env.map(({ name }) => name));
    const config = textOf(`${FOLDER}/base/config.env`).match(/^[A-Z_]+(?==)/gm) ?? [];
    expect(config.length).toBeGreaterThan(2);
    for (const name of [...names, ...config]) {
      expect(() => variableReference(name)).not.toThrow();
    }
  });

  it('start programs that the build makes', () => {
    for (const { command } of containers) {
      const program = command.find((word) => word.startsWith('dist/'))?.slice('dist/'.length);
      expect(textOf(`${program?.replace(/\.js$/, '.ts')}`)).not.toBe('');
    }
  });

  it('serve each push queue with exactly one deployment, and the queue for control with two', () => {
    const served = containers
      .flatMap(({ env }) => env.filter(({ name }) => name === 'PUSH_QUEUES'))
      .flatMap(({ value }) => value?.split(',') ?? []);
    const names = queueNames.map((queue) => queue.replace('push-', ''));
    expect(served.toSorted()).toEqual([...names, 'control'].toSorted());
  });

  it('give each push worker the same secrets, but those of its provider', () => {
    const workers = containers.filter(({ env }) => env.some(({ name }) => name === 'PUSH_QUEUES'));
    const secrets = workers.map(({ env }) =>
      env
        .filter((variable) => 'valueFrom' in variable)
        .map(({ name }) => name)
        .filter((name) => !name.startsWith('APNS_')),
    );
    expect(secrets.length).toBeGreaterThan(2);
    expect(secrets).toEqual(secrets.map(() => secrets[0]));
  });

  // The base denies what no policy admits.
  it.each(['cloudnative-pg', 'redis'])('admit the programs to the store of %s', (name) => {
    const policy = parse(textOf(`${FOLDER}/examples/${name}.yaml`)).find(
      ({ kind }) => kind === 'NetworkPolicy',
    );
    expect(policy?.spec).toMatchObject({
      ingress: expect.arrayContaining([
        expect.objectContaining({
          from: expect.arrayContaining([
            { podSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'carillon' } } },
          ]),
        }),
      ]),
    });
  });

  it('probe running programs at a port without a limit of connections', () => {
    const limited = containers.filter(({ livenessProbe, readinessProbe }) =>
      [livenessProbe, readinessProbe].some((probe) => probe?.httpGet.port === 'http'),
    );
    expect(limited.map(({ name }) => name)).toEqual([]);
  });

  it('leave a tenth of the connections of the example database free at the maxima of the autoscalers', () => {
    const opened = manifests
      .filter(({ kind }) => kind === 'Deployment')
      .map((deployment) => mostPods(deployment) * connectionsOf(deployment))
      .reduce((sum, connections) => sum + connections, 0);
    const database = textOf(`${FOLDER}/examples/cloudnative-pg.yaml`);
    const [, allowed] = /max_connections: '(\d+)'/.exec(database) ?? [];
    expect(opened).toBeLessThan(0.9 * Number(allowed));
    expect(database).toContain(`(${opened} at the maxima`);
    expect(textOf('docs/kubernetes.md')).toContain(`open ${opened} connections`);
  });

  it('let files of the default size through the ingress', () => {
    const [, allowed] = /proxy-body-size: (\d+)m/.exec(textOf(`${FOLDER}/base/ingress.yaml`)) ?? [];
    const [largest] = /\d+/.exec(variableReference('MAX_FILE_UPLOAD_SIZE').byDefault) ?? [];
    expect(Number(allowed)).toBeGreaterThan(Number(largest));
  });

  it('run the migration without objects of the release, which a hook before it does not find', () => {
    const {
      containers: [migrate],
      volumes,
    } = podOf(manifests.find(({ kind }) => kind === 'Job'));
    expect(migrate?.envFrom).toBeUndefined();
    expect(volumes).toEqual([{ name: 'tmp', emptyDir: {} }]);
  });

  it('run Redis as the process that gets SIGTERM, with memory for twice its data', () => {
    const [redis] = containersOf(manifests.find(({ kind }) => kind === 'StatefulSet'));
    const script = redis?.command.at(-1) ?? '';
    expect(script.trim().split('\n').at(-1)).toBe('exec redis-server /run/redis/redis.conf');
    expect(script).toContain('maxmemory 1gb');
    expect(redis?.resources.limits.memory).toBe('2Gi');
  });

  it('let pods that are not ready be evicted', () => {
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.length).toBeGreaterThan(3);
    for (const { spec } of budgets) {
      expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    }
  });

  it('list every file of the base in its kustomization', () => {
    const [kustomization] = parse(textOf(`${FOLDER}/base/kustomization.yaml`)) as unknown as [
      { resources: string[] },
    ];
    const inBase = files.filter((file) => file.includes('/base/'));
    expect(kustomization.resources.map((file) => `${FOLDER}/base/${file}`).toSorted()).toEqual(
      inBase.toSorted(),
    );
  });

  it('scale by metrics that docs/observability.md documents', () => {
    const asked = textOf(`${FOLDER}/components/keda/scaled-objects.yaml`).match(/carillon_\w+/g);
    expect(asked?.length).toBeGreaterThan(4);
    for (const metric of asked ?? []) {
      expect(textOf('docs/observability.md')).toContain(`- \`${metric}\``);
    }
  });

  // When this fails: `npm run docs`.
  it('have the alert rules of Prometheus', () => {
    expect(textOf(PROMETHEUS_RULE_FILE)).toBe(
      prometheusRule(textOf('deploy/observability/alerts.yml')),
    );
  });

  const kustomize = (folder: string) =>
    spawnSync('kubectl', ['kustomize', folder], { cwd: root, encoding: 'utf8' });
  const production = kustomize(`${FOLDER}/overlays/production`);
  const rendering = production.error === undefined ? it : it.skip;

  rendering('render with kubectl, and still match the types', () => {
    expect(production.stderr).toBe('');
    const rendered = parse(production.stdout);
    expect(rendered.length).toBeGreaterThan(30);
    expect(faultsOf(rendered.filter(isOfKubernetes))).toEqual([]);
    const images = rendered.flatMap(containersOf);
    expect(new Set(images.map(({ image }) => image))).toEqual(
      new Set(['registry.example.org/carillon:0.1.0']),
    );
  });

  rendering('relay with workers that have no credentials, and none for Google', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'carillon-overlay-'));
    const toParts = path.relative(folder, fileURLToPath(new URL(FOLDER, root)));
    writeFileSync(
      path.join(folder, 'kustomization.yaml'),
      `resources: [${toParts}/overlays/production]\ncomponents: [${toParts}/components/relay]\n`,
    );
    const { stdout, stderr } = kustomize(folder);
    rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(/APNS_|FCM_|push-worker-fcm|carillon-apns|app\/secrets/);
    const rendered = parse(stdout);
    expect(faultsOf(rendered.filter(isOfKubernetes))).toEqual([]);
    const deployments = rendered.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ metadata }) => metadata.name)).toContain('push-worker-apns-bulk');
  });
});
