import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { queueNames } from '#push/jobs';
import { parse } from 'yaml';

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly security_opt?: readonly string[];
  readonly ulimits?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: { readonly test: readonly string[] | string };
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly deploy?: {
    readonly resources: { readonly limits: { readonly memory: string; readonly pids: number } };
  };
  readonly ports?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly profiles?: readonly string[];
  readonly network_mode?: string;
  readonly cap_add?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
}

const PROXY_FILE = 'deploy/docker/haproxy/haproxy.cfg';

// The file has this shape, which the engine checks.
const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as ComposeFile;
const services = Object.entries(compose.services);

describe('docker-compose.yml', () => {
  it.each(services)(
    'limits the memory, the processes, the open files and the log of %s',
    (_, service) => {
      const { memory, pids } = service.deploy?.resources.limits ?? {};
      expect(memory).toBeDefined();
      expect(pids).toBeGreaterThan(0);
      expect(service.ulimits?.['nofile']).toBeDefined();
      expect(service.logging?.options).toEqual({ 'max-size': '20m', 'max-file': '5' });
    },
  );

  it.each(services)('confines %s', (name, service) => {
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.cap_add).toBeUndefined();
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    // Grafana writes plugins and its pages beside its data.
    expect(service.read_only).toBe(name !== 'grafana');
  });

  it.each(['postgres', 'redis'])('runs %s as the account of its data from the start', (name) => {
    expect(compose.services[name]?.user).toBe('999:999');
  });

  it('checks the health of each service but of the migration, which ends', () => {
    const unchecked = services.filter(([, { healthcheck }]) => healthcheck === undefined);
    expect(unchecked.map(([name]) => name)).toEqual(['migrate']);
  });

  it('lets no service depend on the network of another container', () => {
    expect(services.filter(([, service]) => service.network_mode !== undefined)).toEqual([]);
  });

  it('lets the number of connections of the proxy follow from its limit of open files', () => {
    expect(compose.services['proxy']?.ulimits).toEqual({ nofile: '${PROXY_OPEN_FILES:-20000}' });
    expect(readFileSync(PROXY_FILE, 'utf8')).not.toMatch(/^ {2}maxconn/m);
  });

  it('tags every image with a version', () => {
    const untagged = services.filter(([, { image }]) => !/:[^:]*\d/.test(image ?? ''));
    expect(untagged.map(([name]) => name)).toEqual([]);
  });

  it('publishes a fixed port only of services with one container', () => {
    const published = services.filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name).toSorted()).toEqual([
      'grafana',
      'proxy',
      'push-sandbox',
    ]);
  });

  it('has no secret in a command', () => {
    const commands = services.flatMap(([, { command = [] }]) => command);
    expect(commands.filter((word) => /PASSWORD|SECRET|TOKEN/.test(word))).toEqual([]);
  });

  it('has a Redis that keeps its data', () => {
    const text = readFileSync('deploy/docker/redis/redis.conf', 'utf8');
    expect(text).toContain('\nmaxmemory-policy noeviction\n');
    expect(text).toContain('\nappendonly yes\n');
  });

  it('mounts declared volumes and existing files', () => {
    const sources = services
      .flatMap(([, { volumes = [] }]) => volumes)
      .map((volume) => volume.split(':')[0] ?? '');
    const named = sources.filter((source) => !source.startsWith('./'));
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
    const files = sources.filter((source) => source.startsWith('./deploy/'));
    for (const file of files) expect(spawnSync('test', ['-e', file]).status).toBe(0);
  });

  it('has one service for each program, so that `--scale push-worker=4` adds workers for every queue', () => {
    const { command, environment, profiles, ports } = compose.services['push-worker'] ?? {};
    expect(command?.at(-1)).toBe('dist/apps/push-worker/src/main.js');
    expect([profiles, ports]).toEqual([undefined, undefined]);
    const [, queues = ''] =
      /^\$\{PUSH_QUEUES:-(.+)\}$/.exec(environment?.['PUSH_QUEUES'] ?? '') ?? [];
    const names = queueNames.map((queue) => queue.replace('push-', ''));
    expect(queues.split(',').toSorted()).toEqual(names.toSorted());
    expect(readFileSync('deploy/observability/prometheus.yml', 'utf8')).toContain(
      '[push-worker, push-worker-sandbox]',
    );
  });

  it('leads the proxy to the gateways over the network that they trust', () => {
    const text = readFileSync(PROXY_FILE, 'utf8');
    expect(text).toContain('server-template gateway 20 gateways:9991');
    const { networks, environment } = compose.services['api-gateway'] ?? {};
    expect(compose.services['proxy']?.networks).toContain('inner');
    // Over the other network the proxy would have an address that the gateways do not trust.
    expect(networks).toEqual({ inner: { aliases: ['gateways'] }, outside: null });
    expect(environment?.['TRUSTED_PROXIES']).toContain('${INNER_SUBNET:-172.30.91.0/24}');
    expect(compose.services['proxy']?.ports).toEqual(['${GATEWAY_BIND:-127.0.0.1:9991}:9991']);
  });
});

describe('.env.example', () => {
  const [offered = '', ofNoUse = ''] = readFileSync('.env.example', 'utf8').split(
    '# Secrets. In Compose each is a file',
  );
  const namesIn = (text: string) =>
    [...text.matchAll(/^#? ?([A-Z]\w+)=/gm)].map(([, name]) => name);
  const values = ['api-gateway', 'presence', 'push-worker'].flatMap((name) =>
    Object.entries(compose.services[name]?.environment ?? {}),
  );
  const passed = new Set(
    values.filter(([name, value]) => String(value).includes(`\${${name}:`)).map(([name]) => name),
  );

  it('shows the values that Compose uses by default', () => {
    const text = readFileSync('docker-compose.yml', 'utf8');
    const defaults = [...text.matchAll(/\$\{(\w+):-([^}]+)\}/g)].map(
      ([, name, value]) => `${name}=${value}`,
    );
    expect(defaults.length).toBeGreaterThan(10);
    const lines = new Set(offered.split('\n').map((line) => line.replace('# ', '')));
    expect(defaults.filter((line) => !lines.has(line))).toEqual([]);
  });

  it('offers no variable whose value Compose replaces', () => {
    expect(passed.size).toBeGreaterThan(2);
    const replaced = new Set(values.map(([name]) => name).filter((name) => !passed.has(name)));
    expect(namesIn(offered).filter((name = '') => replaced.has(name))).toEqual([]);
  });

  it('says of no variable that Compose passes on that it is of no use', () => {
    expect(namesIn(ofNoUse).length).toBeGreaterThan(10);
    expect(namesIn(ofNoUse).filter((name = '') => passed.has(name))).toEqual([]);
  });
});

describe('deploy/docker/carillon', () => {
  it('runs the command line of the image', () => {
    const [, program = ''] =
      /exec node \/app\/dist\/(\S+)\.js "\$@"/.exec(
        readFileSync('deploy/docker/carillon', 'utf8'),
      ) ?? [];
    expect(readFileSync(`${program}.ts`, 'utf8')).toContain('runCommandLine(');
    expect(readFileSync('deploy/docker/Dockerfile', 'utf8')).toContain(
      '\nCOPY --chmod=755 deploy/docker/carillon /usr/local/bin/\n',
    );
  });
});
