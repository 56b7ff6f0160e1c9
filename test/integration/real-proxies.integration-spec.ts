import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { outboundFetch, OutboundProxy } from '#platform/outbound';
import { apnsDriver, fcmDriver, type PushTransport } from '#push/providers';
import { eventually } from '#test/eventually';
import { startFakeProvider, type FakeProvider } from '#test/fake-provider';
import { freePorts } from '#test/free-ports';
import { pushTo } from '#test/outgoing-push';
import { androidToken, iphoneToken } from '#test/push-tokens';
import { type RunningSandbox, startSandbox } from '../conformance/push-sandbox.fixture.js';
import {
  accepted,
  type FakeService,
  makeIdentity,
  WebPushWorld,
} from '../conformance/web-push.world.js';

/** A proxy of Debian, which the machine may have. */
interface RealProxy {
  /** The package is the name. */
  readonly program: string;
  readonly credentials: string | null;
  /** The files of its configuration; the first one is its argument. `allowed` are the ports of servers. */
  readonly files: (
    port: number,
    folder: string,
    allowed: readonly number[],
  ) => Readonly<Record<string, string>>;
  readonly args: (configuration: string) => readonly string[];
}

const real: readonly RealProxy[] = [
  {
    program: 'tinyproxy',
    credentials: 'ada:secret',
    files: (port, _folder, allowed) => ({
      'tinyproxy.conf': [
        `Port ${port}`,
        'Listen 127.0.0.1',
        'Timeout 60',
        'MaxClients 50',
        'BasicAuth ada secret',
        ...allowed.map((one) => `ConnectPort ${one}`),
        '',
      ].join('\n'),
    }),
    args: (configuration) => ['-d', '-c', configuration],
  },
  {
    program: 'squid',
    credentials: 'ada:secret',
    files: (port, folder, allowed) => ({
      'squid.conf': [
        `http_port 127.0.0.1:${port}`,
        `acl allowed port ${allowed.join(' ')}`,
        'http_access deny CONNECT !allowed',
        `auth_param basic program /bin/sh ${folder}/sign-in.sh`,
        'auth_param basic children 1',
        'acl known proxy_auth REQUIRED',
        'http_access allow known',
        'http_access deny all',
        `pid_filename ${folder}/squid.pid`,
        `cache_log ${folder}/cache.log`,
        'access_log none',
        'cache deny all',
        `coredump_dir ${folder}`,
        'shutdown_lifetime 0 seconds',
        '',
      ].join('\n'),
      'sign-in.sh':
        'while read -r line; do [ "$line" = "ada secret" ] && echo OK || echo ERR; done\n',
    }),
    args: (configuration) => ['-N', '-f', configuration],
  },
  {
    program: 'privoxy',
    credentials: null,
    files: (port, folder) => ({
      'privoxy.conf': [
        `listen-address 127.0.0.1:${port}`,
        `logdir ${folder}`,
        'toggle 1',
        'enable-remote-toggle 0',
        '',
      ].join('\n'),
    }),
    args: (configuration) => ['--no-daemon', configuration],
  },
];

/** The file of the program; undefined without its package. */
const pathOf = ({ program }: RealProxy): string | undefined =>
  ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));

/** A proxy that runs until `stop`. */
async function startProxy(proxy: RealProxy, allowed: readonly number[]) {
  const folder = await mkdtemp(join(tmpdir(), `${proxy.program}-`));
  // Squid leaves root for an account of its own.
  await chmod(folder, 0o777);
  const [port = 0] = await freePorts(1);
  const files = Object.entries(proxy.files(port, folder, allowed));
  for (const [name, text] of files) {
    await writeFile(join(folder, name), text);
    await chmod(join(folder, name), 0o644);
  }
  const args = proxy.args(join(folder, files[0]?.[0] ?? ''));
  const child = spawn(pathOf(proxy) ?? '', args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  return {
    client: (changes: { readonly credentials?: string | null } = {}) =>
      new OutboundProxy({
        isTls: false,
        host: '127.0.0.1',
        port,
        credentials: proxy.credentials,
        isExempt: () => false,
        ...changes,
      }),
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A host that a user has chosen, by a name that the proxy finds. */
const userHost = { name: 'a push service', host: 'localhost', isKnown: false, speaksHttp2: false };

const withProgram = (proxy: RealProxy) => (pathOf(proxy) === undefined ? describe.skip : describe);

for (const proxy of real) {
  const title = `Pushes through ${proxy.program} (skipped without its Debian package)`;
  withProgram(proxy)(title, () => {
    let sandbox: RunningSandbox;
    let provider: FakeProvider;
    let web: WebPushWorld;
    let service: FakeService;
    let running: Awaited<ReturnType<typeof startProxy>>;
    const opened: PushTransport[] = [];

    beforeAll(async () => {
      sandbox = await startSandbox();
      provider = await startFakeProvider({ tls: sandbox.server });
      const tokens = Number(new URL(sandbox.fcm.account.tokenUri).port);
      web = new WebPushWorld(userHost, await makeIdentity());
      service = await web.serve();
      running = await startProxy(proxy, [provider.port, tokens, service.port]);
    });
    afterAll(async () => {
      await Promise.all(opened.map((transport) => transport.close()));
      await web?.end();
      await running?.stop();
      await provider?.stop();
      await sandbox?.stop();
    });

    const open = async (
      name: 'http2' | 'library',
      platform: 'apns' | 'fcm',
      {
        port = provider.port,
        client = running.client(),
      }: { readonly port?: number; readonly client?: OutboundProxy } = {},
    ) => {
      const settings = { port, proxy: client, deadlineMs: 8000 };
      const transport =
        platform === 'apns'
          ? (await apnsDriver(name === 'http2' ? name : 'node-apn'))({
              ...sandbox.apns,
              ...settings,
            })
          : (await fcmDriver(name === 'http2' ? name : 'firebase-admin'))({
              ...sandbox.fcm,
              ...settings,
            });
      opened.push(transport);
      return transport;
    };
    const pushOf = (platform: 'apns' | 'fcm') =>
      pushTo(platform === 'apns' ? iphoneToken() : androidToken());

    const each = it.each([
      ['http2', 'apns'],
      ['library', 'apns'],
      ['http2', 'fcm'],
      ['library', 'fcm'],
    ] as const);

    each('arrive by the driver %s for %s', async (name, platform) => {
      const sut = await open(name, platform);
      const pushes = Array.from({ length: 20 }, () => pushOf(platform));
      const answers = await Promise.all(pushes.map((push) => sut.send(push)));
      expect(answers).toEqual(pushes.map(() => ({ kind: 'accepted' })));
    });

    each(
      'end without an answer behind a closed port by the driver %s for %s',
      async (name, platform) => {
        const [closed = 0] = await freePorts(1);
        const sut = await open(name, platform, { port: closed });
        expect(await sut.send(pushOf(platform))).toMatchObject({
          kind: 'unanswered',
          reason: 'proxy',
        });
      },
    );

    it('arrive at a push service that a user has chosen', async () => {
      const resolve = () => Promise.reject(new Error('not asked'));
      const sut = web.open({ proxy: running.client(), resolve }, [service.port]);
      // As many as may be under way and wait for one host.
      const pushes = Array.from({ length: 10 }, () => web.push(service.port));
      const answers = await Promise.all(pushes.map((push) => sut.send(push)));
      expect(answers).toEqual(pushes.map(() => accepted));
      expect(service.received).toHaveLength(pushes.length);
    });

    it('end without an answer at a push service behind a closed port, which stays registered', async () => {
      const [closed = 0] = await freePorts(1);
      const sut = web.open({ proxy: running.client() }, [closed]);
      expect(await sut.send(web.push(closed))).toEqual({ kind: 'unanswered', reason: 'proxy' });
    });

    it('let all other requests through: those to a push service, S3 and the rest', async () => {
      const sut = outboundFetch(running.client(), { ca: sandbox.apns.certificateAuthority });
      const tokens = sandbox.fcm.account.tokenUri;
      const deadline = () => ({ signal: AbortSignal.timeout(8000) });
      const answers = await Promise.all(
        Array.from({ length: 5 }, () =>
          sut(tokens, { method: 'POST', body: 'none', ...deadline() }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
      await Promise.all(answers.map((answer) => answer.text()));
      const [closed = 0] = await freePorts(1);
      // Squid answers 403 with a page, privoxy 503.
      await expect(sut(`http://localhost:${closed}`, deadline())).rejects.toMatchObject({
        name: 'ProxyFault',
      });
    });

    if (proxy.credentials === null) return;

    each('need the sign-in of the proxy by the driver %s for %s', async (name, platform) => {
      const sut = await open(name, platform, { client: running.client({ credentials: 'ada:no' }) });
      expect(await sut.send(pushOf(platform))).toMatchObject({ reason: 'proxy' });
    });

    it('need the sign-in of the proxy on the way to a push service', async () => {
      const client = running.client({ credentials: 'ada:no' });
      const sut = web.open({ proxy: client }, [service.port]);
      expect(await sut.send(web.push(service.port))).toMatchObject({ reason: 'proxy' });
    });
  });
}
