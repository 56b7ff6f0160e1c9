import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '#test/eventually';
import { parse } from 'yaml';
import { builtImage, docker, hasKubectl } from '../engine.js';
import { ClusterNode } from './cluster-node.js';
import { type Manifest, named, render, untranslatedIn } from './manifests.js';
import { podArguments, type Surroundings } from './pod-arguments.js';

jest.setTimeout(600_000);

const OVERLAY = 'deploy/kubernetes/overlays/production';
const PREFIX = `carillon-k8s-${process.pid}-`;
/** In the network of the pods that the overlay trusts, so that the gateways believe `X-Forwarded-For`. */
const SUBNET = `10.42.${process.pid % 256}.0/24`;
const WARM_UP_MS = 15_000;
const STORE_DEADLINE_MS = 120_000;
const HOST = 'chat.example.org';

const image = builtImage();
const isPossible = image !== undefined && hasKubectl;
if (!isPossible) {
  process.stderr.write(
    'Skipped: the manifests in containers need an engine, an image of the project, and kubectl.\n',
  );
}

/** Credentials of the forms that Apple and Google issue; nothing is sent with them. */
function credentials() {
  const privateKey = (pem: ReturnType<typeof generateKeyPairSync>['privateKey']) =>
    pem.export({ type: 'pkcs8', format: 'pem' }).toString();
  const apple = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const google = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    'carillon-apns': {
      'apns-key.p8': privateKey(apple.privateKey),
      APNS_KEY_ID: 'ABCDE12345',
      APNS_TEAM_ID: 'FGHIJ67890',
    },
    'carillon-fcm': {
      'service-account.json': JSON.stringify({
        type: 'service_account',
        project_id: 'example',
        private_key_id: 'one',
        private_key: privateKey(google.privateKey),
        client_email: 'push@example.iam.gserviceaccount.com',
        client_id: '1',
        token_uri: 'https://oauth2.googleapis.com/token',
      }),
    },
  };
}

const secret = () => randomBytes(32).toString('base64');

(isPossible ? describe : describe.skip)('The manifests in containers', () => {
  const names: string[] = [];
  let folder: string;
  let around: Surroundings;
  let node: ClusterNode;
  let deployments: readonly Manifest[];

  beforeAll(async () => {
    const manifests = render(OVERLAY);
    deployments = manifests.filter(({ kind }) => kind === 'Deployment');
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-k8s-'));
    const password = randomBytes(16).toString('hex');
    const databaseUrl = `postgresql://carillon:${password}@${PREFIX}postgres:5432/carillon`;
    const secrets = {
      'carillon-secrets': {
        DATABASE_URL: databaseUrl,
        MIGRATION_DATABASE_URL: databaseUrl,
        REDIS_URL: `redis://${PREFIX}redis:6379`,
        API_KEY_SECRET: secret(),
        PRESENCE_SECRET: secret(),
        PUSH_KEY_SECRET: secret(),
        OPS_TOKEN: randomBytes(24).toString('hex'),
      },
      ...credentials(),
    };
    around = {
      manifests,
      secrets,
      secretsFolder: folder,
      image: image ?? '',
      network: `${PREFIX}network`,
      prefix: PREFIX,
    };
    writeSecrets(secrets);
    await docker('network', 'create', '--subnet', SUBNET, around.network);
    await startStores(password);
    node = new ClusterNode(around.image, around.network, `${PREFIX}node`);
  });

  afterAll(async () => {
    await node?.stop();
    if (names.length > 0) await docker('rm', '--force', '--volumes', ...names);
    await docker('volume', 'rm', '--force', `${PREFIX}carillon-uploads`).catch(() => '');
    await docker('network', 'rm', around.network);
    rmSync(folder, { recursive: true, force: true });
  });

  /** As volumes of secrets are: of root, readable by the group of the pod. */
  function writeSecrets(secrets: Surroundings['secrets']): void {
    chmodSync(folder, 0o755);
    for (const [name, values] of Object.entries(secrets)) {
      mkdirSync(path.join(folder, name));
      for (const [key, value] of Object.entries(values)) {
        const file = path.join(folder, name, key);
        writeFileSync(file, value, { mode: 0o440 });
        chownSync(file, 0, 1000);
      }
    }
  }

  async function startStores(password: string): Promise<void> {
    const { services } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true });
    const postgres = `${PREFIX}postgres`;
    const onNetwork = ['--network', around.network];
    const settings = ['POSTGRES_USER=carillon', `POSTGRES_PASSWORD=${password}`];
    const variables = settings.flatMap((one) => ['--env', one]);
    await start(postgres, [...onNetwork, ...variables, services.postgres.image]);
    const redis = ['redis-server', '--protected-mode', 'no'];
    await start(`${PREFIX}redis`, [...onNetwork, services.redis.image, ...redis]);
    await eventually(
      () => docker('exec', postgres, 'pg_isready', '--host', '127.0.0.1', '--username', 'carillon'),
      STORE_DEADLINE_MS,
    );
  }

  async function start(name: string, args: readonly string[]): Promise<void> {
    names.push(name);
    await docker('run', '--detach', '--name', name, ...args);
  }

  const aliasesOf = ({ metadata }: Manifest): string[] =>
    around.manifests
      .filter(
        ({ kind, spec }) =>
          kind === 'Service' && Object.values(spec.selector ?? {}).includes(metadata.name),
      )
      .map((service) => service.metadata.name);

  /** Runs a pod of a deployment; resolves when it is ready. */
  async function startPod(deployment: Manifest, index: number): Promise<string> {
    const name = `${PREFIX}${deployment.metadata.name}-${index}`;
    const pod = deployment.spec.template.spec;
    const aliases = aliasesOf(deployment).flatMap((alias) => ['--network-alias', alias]);
    await start(name, [...aliases, ...podArguments(pod, around)]);
    const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
    node.watch(name, await docker('inspect', '--format', format, name), pod);
    await node.untilReady(name).catch(async (error: unknown) => {
      throw new Error(await docker('logs', name), { cause: error });
    });
    return name;
  }

  /** Ends a pod as a cluster does; resolves with its exit code, which is 137 after the time of grace. */
  async function stopPod(name: string, deployment: Manifest): Promise<number> {
    const { terminationGracePeriodSeconds = 30 } = deployment.spec.template.spec;
    await docker('stop', '--time', String(terminationGracePeriodSeconds), name);
    node.forget(name);
    return Number(await docker('inspect', '--format', '{{.State.ExitCode}}', name));
  }

  it('have no member of a pod that this test leaves out', () => {
    const left = deployments.map(({ spec }) => untranslatedIn(spec.template.spec));
    expect(left.flat()).toEqual([]);
  });

  it('migrate the database', async () => {
    const job = named(around.manifests, 'Job', 'migrate');
    const name = `${PREFIX}migrate`;
    await start(name, podArguments(job.spec.template.spec, around));
    expect(await docker('wait', name)).toBe('0');
    expect(await docker('logs', name)).toContain('Applied');
  });

  it('start and stop each program within its probes, limits and time of grace', async () => {
    expect(deployments.length).toBeGreaterThan(6);
    const order = deployments.toSorted((one) => (one.metadata.name === 'presence' ? -1 : 1));
    for (const deployment of order) {
      const name = await startPod(deployment, 0);
      const wanted = '^(Uid|CapEff|NoNewPrivs|Seccomp):';
      const status = await docker('exec', name, 'grep', '-E', wanted, '/proc/1/status');
      expect(status.replaceAll(/\s+/g, ' ')).toBe(
        'Uid: 1000 1000 1000 1000 CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2',
      );
      await expect(docker('exec', name, 'touch', '/app/file')).rejects.toThrow('Read-only');
      await docker('exec', name, 'touch', '/tmp/file');
      expect({
        name,
        exitCode: await stopPod(name, deployment),
        failed: node.hasFailed(name),
      }).toEqual({ name, exitCode: 0, failed: false });
    }
  });

  it('replace all gateways under load without a failed request', async () => {
    const gateways = named(around.manifests, 'Deployment', 'api-gateway');
    const { maxSurge, maxUnavailable } = gateways.spec.strategy?.rollingUpdate ?? {};
    expect({ maxSurge, maxUnavailable }).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    await startPod(named(around.manifests, 'Deployment', 'presence'), 1);
    const { minReplicas = 0 } =
      around.manifests.find(
        ({ kind, metadata }) =>
          kind === 'HorizontalPodAutoscaler' && metadata.name === 'api-gateway',
      )?.spec ?? {};
    const running: string[] = [];
    for (let index = 1; index <= minReplicas; index += 1) {
      running.push(await startPod(gateways, index));
    }
    const carillon = (command: string) =>
      docker('exec', running[0] ?? '', 'sh', '-c', `carillon ${command}`);
    await carillon("organisation create '' --name Example");
    const owner = JSON.parse(
      await carillon("user create ada@example.org -o '' --name Ada --role owner --json"),
    );
    const load = {
      host: HOST,
      anonymous: { path: '/api/v1/server_settings' },
      signedIn: {
        path: '/api/v1/users/me',
        authorization: `Basic ${btoa(`${owner.email}:${owner.api_key}`)}`,
      },
    };
    // The pods that are replaced have run for a while.
    node.startLoad(load);
    await delay(WARM_UP_MS);
    await node.endLoad();
    node.startLoad(load);
    for (const [index, old] of running.entries()) {
      await startPod(gateways, minReplicas + 1 + index);
      expect(await stopPod(old, gateways)).toBe(0);
    }
    const { served, failures } = await node.endLoad();
    expect(failures).toEqual([]);
    expect(Object.keys(served)).toHaveLength(2 * minReplicas);
    process.stderr.write(`Requests of each gateway: ${JSON.stringify(served)}\n`);
  });
});
