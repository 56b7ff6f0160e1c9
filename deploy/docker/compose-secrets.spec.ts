import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  readApiGatewayConfig,
  readCliConfig,
  readMigrateConfig,
  readPresenceConfig,
  readPushWorkerConfig,
} from '#platform/config';
import { parse } from 'yaml';

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly env_file?: string | readonly string[];
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

type Reader = (environment: Record<string, string | undefined>) => unknown;

// The file has this shape, which the engine checks.
const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as ComposeFile;

/** The names of the variables that a program reads. */
function variablesOf(read: Reader): ReadonlySet<string> {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  try {
    read(environment);
  } catch {
    // Required variables are missing; every name has been read by then.
  }
  return names;
}

/** A variable that may be read from a file is a secret. */
const secretsAmong = (names: ReadonlySet<string>): string[] =>
  [...names].filter((name) => names.has(`${name}_FILE`)).toSorted();

const fileOf = (name: string) => name.toLowerCase().replaceAll('_', '-');

const readers: Readonly<Record<string, Reader>> = {
  migrate: readMigrateConfig,
  presence: readPresenceConfig,
  'api-gateway': readApiGatewayConfig,
  'push-worker': readPushWorkerConfig,
  'push-worker-sandbox': readPushWorkerConfig,
};
const programs = Object.entries(readers).map(([name, read]) => ({
  name,
  secrets: secretsAmong(variablesOf(read)),
  service: compose.services[name] ?? { environment: {} },
}));
const everySecret = [...new Set(programs.flatMap(({ secrets }) => secrets))];

const everyFile = Object.keys(compose.secrets).toSorted();

describe('The secrets of docker-compose.yml', () => {
  it.each(programs)('gives $name the secrets that it reads, as files', ({ secrets, service }) => {
    expect(secrets.length).toBeGreaterThan(0);
    expect(service.secrets?.toSorted()).toEqual(secrets.map(fileOf).toSorted());
    for (const name of secrets) {
      expect(service.environment[`${name}_FILE`]).toBe(`/run/secrets/${fileOf(name)}`);
    }
    const files = Object.values(service.environment).filter((value) =>
      String(value).startsWith('/run/secrets/'),
    );
    expect(files).toHaveLength(secrets.length);
  });

  it.each(programs)('gives $name no secret that an .env has', ({ service }) => {
    const passwords = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'GRAFANA_PASSWORD'];
    for (const name of [...everySecret, ...passwords]) expect(service.environment[name]).toBe('');
  });

  it('gives .env to no other service', () => {
    const given = Object.entries(compose.services).filter(
      ([, { env_file: file }]) => file === '.env',
    );
    expect(given.map(([name]) => name).toSorted()).toEqual(Object.keys(readers).toSorted());
  });

  it('lets the command line read no secret beside those of the programs', () => {
    const others = secretsAmong(variablesOf(readCliConfig)).filter(
      (name) => !everySecret.includes(name),
    );
    expect(others).toEqual([]);
  });

  it('has a file for each', () => {
    const used = Object.values(compose.services).flatMap(({ secrets = [] }) => secrets);
    expect(Object.keys(compose.secrets).toSorted()).toEqual([...new Set(used)].toSorted());
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`./secrets/${name}`);
    }
  });
});

describe('deploy/docker/make-secrets', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-secrets-'));
    mkdirSync(path.join(folder, 'deploy/docker'), { recursive: true });
    copyFileSync('deploy/docker/make-secrets', path.join(folder, 'deploy/docker/make-secrets'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** `assignments` are variables of the script, as a shell takes them. */
  const run = (assignments = '') => {
    const script = path.join(folder, 'deploy/docker/make-secrets');
    return execFileSync('sh', ['-c', `${assignments} "$0"`, script], { stdio: 'pipe' });
  };
  const writeEnv = (...lines: string[]) =>
    writeFileSync(path.join(folder, '.env'), `${lines.join('\n')}\n`);
  const secret = (name: string) => readFileSync(path.join(folder, 'secrets', name), 'utf8');

  it('makes each file of docker-compose.yml, which only the owner of the folder can reach', () => {
    run();
    expect(readdirSync(path.join(folder, 'secrets'))).toEqual(everyFile);
    expect(statSync(path.join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    // The accounts in the containers are other ones.
    expect(statSync(path.join(folder, 'secrets/ops-token')).mode & 0o777).toBe(0o644);
  });

  it('makes values that the programs accept, and leaves out what an installation may not want', () => {
    run();
    const environment = Object.fromEntries(
      everySecret.map((name) => [`${name}_FILE`, path.join(folder, 'secrets', fileOf(name))]),
    );
    const config = readApiGatewayConfig(environment);
    expect(new URL(config.database.url).password).toBe(secret('postgres-password'));
    expect(new URL(config.redis.url).password).toBe(secret('redis-password'));
    expect(config.presence.secret).toHaveLength(32);
    expect([config.push.keySecret, config.ops.token]).toEqual([null, undefined]);
    expect(readPresenceConfig(environment).secret).toEqual(config.presence.secret);
  });

  it('changes no file that exists, and takes over the values of an earlier .env', () => {
    writeEnv('POSTGRES_PASSWORD=earlier', 'OPS_TOKEN=token=with=signs', '# REDIS_PASSWORD=no');
    run();
    expect(secret('database-url')).toBe('postgresql://carillon:earlier@postgres:5432/carillon');
    expect(secret('ops-token')).toBe('token=with=signs');
    expect(secret('redis-password')).toMatch(/^[0-9a-f]{48}$/);
    const before = secret('api-key-secret');
    run();
    expect(secret('api-key-secret')).toBe(before);
  });

  it('reads values as Compose does', () => {
    writeEnv(
      "OPS_TOKEN='single $quoted' # comment",
      'PUSH_KEY_SECRET="double #quoted"',
      'ZOOM_CLIENT_SECRET=plain#1 # comment',
      'WEBEX_CLIENT_SECRET= spaces around \r',
    );
    run();
    expect(secret('ops-token')).toBe('single $quoted');
    expect(secret('push-key-secret')).toBe('double #quoted');
    expect(secret('zoom-client-secret')).toBe('plain#1');
    expect(secret('webex-client-secret')).toBe('spaces around');
  });

  it('makes no other secret for one that .env has in a file', () => {
    writeEnv('API_KEY_SECRET_FILE=secrets/earlier');
    run();
    expect(secret('api-key-secret')).toBe('');
  });

  it('makes again what an earlier run could not write, as on a full disk', () => {
    expect(() => run('ulimit -f 0;')).toThrow('Command failed');
    run();
    expect(secret('postgres-password')).toMatch(/^[0-9a-f]{48}$/);
    expect(readdirSync(path.join(folder, 'secrets'))).toEqual(everyFile);
  });

  it('fails without a secret if none can be made', () => {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'openssl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(() => run(`PATH='${bin}':"$PATH"`)).toThrow('Command failed');
    expect(readdirSync(path.join(folder, 'secrets'))).toEqual([]);
  });
});
