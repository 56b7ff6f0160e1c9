import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { createServer } from 'node:tls';
import { expect } from '@jest/globals';
import { childEnvironment } from '#platform/config';
import { eventually } from '#test/eventually';
import { freePorts } from '#test/free-ports';
import { sendRequest } from '#test/http-request';
import { makeServerIdentity } from '../../apps/push-sandbox/src/credentials/certificate-authority.js';
import { OwnProcess } from '../../deploy/local/own-process.js';

export const PROSODY = '/usr/bin/prosody';

type Texts = Readonly<Record<string, string>>;

/** What a client gives to register. */
export interface Subscription {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** The programs end with the process of the test. */
const startProgram = (command: string, args: readonly string[], cwd = process.cwd()) =>
  new OwnProcess({
    command,
    args,
    cwd,
    env: childEnvironment({}),
    stdio: 'ignore',
    stopSignal: 'SIGTERM',
    graceMs: 5000,
  });

/** The service speaks no TLS: a socket with TLS is in front of it. */
export async function startTestingService(modules: string) {
  const identity = await makeServerIdentity(new Date());
  const [plainPort = 0, port = 0] = await freePorts(2);
  const program = startProgram(process.execPath, [
    path.join(modules, 'web-push-testing/src/bin/server.js'),
    String(plainPort),
  ]);
  const ignore = () => undefined;
  const server = createServer({ cert: identity.certificate, key: identity.key }, (outer) => {
    const inner = connect(plainPort, '127.0.0.1');
    outer.on('error', ignore).pipe(inner).on('error', ignore).pipe(outer);
  });
  server.listen(port, '127.0.0.1');
  const ask = async (request: string, fields: Texts = {}) => {
    const body = new URLSearchParams(fields).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const url = `http://127.0.0.1:${plainPort}/${request}`;
    const reply = await sendRequest(url, { method: 'POST', headers, body });
    if (reply.status !== 200) throw new Error(`${request}: ${reply.status} ${reply.text}`);
    return reply.body['data'];
  };
  await eventually(() => ask('status'));
  return {
    identity,
    port,
    /** A browser that subscribes with this VAPID key. */
    subscribe: async (applicationServerKey: string) => {
      const options = { userVisibleOnly: 'true', applicationServerKey };
      // The service documents this shape.
      const { endpoint, keys, clientHash } = (await ask('subscribe', options)) as {
        readonly endpoint: string;
        readonly keys: Omit<Subscription, 'endpoint'>;
        readonly clientHash: string;
      };
      const { pathname } = new URL(endpoint);
      return { clientHash, endpoint: `https://localhost:${port}${pathname}`, ...keys };
    },
    /** What the service has opened for a browser, the oldest first. */
    received: async (clientHash: string) => {
      // The service documents this shape.
      const { messages } = (await ask('get-notifications', { clientHash })) as {
        readonly messages: readonly string[];
      };
      return messages.map((text) => JSON.parse(text));
    },
    expire: (clientHash: string) => ask(`expire-subscription/${clientHash}`),
    stop: async () => {
      await program.stop();
      server.close();
    },
  };
}

/** Prosody, with an account for the distributor. */
export async function startProsody(folder: string) {
  const identity = await makeServerIdentity(new Date());
  const [xmpp = 0, port = 0] = await freePorts(2);
  const file = async (name: string, text: string) => {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
    return path.join(folder, name);
  };
  await file('localhost/accounts/ada.dat', 'return { password = "secret" }');
  const configuration = await file(
    'prosody.cfg.lua',
    `run_as_root = true
pidfile = "${folder}/prosody.pid"
data_path = "${folder}"
modules_enabled = { "disco", "saslauth", "unified_push" }
modules_disabled = { "s2s", "tls" }
interfaces = { "127.0.0.1" }
c2s_ports = { ${xmpp} }
c2s_direct_tls_ports = { }
c2s_require_encryption = false
http_interfaces = { "127.0.0.1" }
http_ports = { }
https_interfaces = { "127.0.0.1" }
https_ports = { ${port} }
https_ssl = {
  certificate = "${await file('server.pem', identity.certificate)}";
  key = "${await file('server.key', identity.key)}";
}
http_external_url = "https://localhost:${port}/"
authentication = "internal_plain"
VirtualHost "localhost"
`,
  );
  const program = startProgram(PROSODY, ['-F', '--config', configuration], folder);
  await eventually(async () => {
    const sockets = [xmpp, port].map((one) => connect(one, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.destroy();
  });
  return {
    identity,
    port,
    xmpp,
    /** Forgets the registrations, as it does with each after a day. */
    forget: () => rm(path.join(folder, 'localhost', 'unified_push'), { recursive: true }),
    stop: () => program.stop(),
  };
}

/** A phone with a distributor that has registered at Prosody. */
export async function startDistributor(modules: string, xmpp: number) {
  const script = 'test/clients/unifiedpush-distributor.mjs';
  const child = fork(script, [modules, String(xmpp)]);
  const ended = once(child, 'exit');
  const messages: Record<string, unknown>[] = [];
  child.on('message', (message: Record<string, unknown>) => messages.push(message));
  const until = (name: string, count = 1) =>
    eventually(() => {
      const found = messages.filter((message) => name in message);
      expect(found).toHaveLength(count);
      return found.at(-1)?.[name];
    });
  const { endpoint } = (await until('registered')) as { readonly endpoint: string };
  return {
    endpoint,
    pushes: () => messages.filter((message) => 'push' in message),
    until,
    /** It leaves, or knows its registration no more. */
    order: async (order: 'unregister' | 'leave') => {
      child.send(order);
      await until('done');
    },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
