import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requestErrors } from '#platform/contracts';
import { eventually } from '#test/eventually';
import { freePorts } from '#test/free-ports';

const FILE = 'deploy/docker/haproxy/haproxy.cfg';
/** Longer than the interval of the checks. */
const SLOW_MS = 1500;

const isInstalled = spawnSync('haproxy', ['-v']).status === 0;

// Without HAProxy there is nothing to run.
(isInstalled ? describe : describe.skip)(
  'The proxy of the compose file, where HAProxy is installed',
  () => {
    let folder: string;
    let gateway: Server;
    let proxy: ChildProcess;
    let url: string;
    let ready: () => Promise<number>;

    beforeAll(async () => {
      const [proxyPort = 0, gatewayPort = 0] = await freePorts(2);
      ready = () => Promise.resolve(200);
      gateway = createServer((request, response) => {
        const answer = request.url === '/health/ready' ? ready() : Promise.resolve(200);
        void answer.then((status) => response.writeHead(status).end());
      }).listen(gatewayPort, '127.0.0.1');
      await once(gateway, 'listening');
      folder = mkdtempSync(path.join(tmpdir(), 'carillon-haproxy-'));
      const file = path.join(folder, 'haproxy.cfg');
      // One gateway at a fixed address in place of the names of Compose.
      const config = readFileSync(FILE, 'utf8')
        .replace(/^ {2}bind :9991$/m, `  bind 127.0.0.1:${proxyPort}`)
        .replace(/^resolvers docker\n(?: .*\n)+/m, '')
        .replaceAll(' resolvers docker resolve-prefer ipv4 init-addr none', '')
        .replaceAll(/server-template (\w+) 20 \S+/g, `server $1 127.0.0.1:${gatewayPort}`);
      writeFileSync(file, config);
      proxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
      url = `http://127.0.0.1:${proxyPort}/`;
      await eventually(async () => expect(await status()).toBe(200));
    });

    afterAll(async () => {
      proxy.kill();
      gateway.closeAllConnections();
      gateway.close();
      rmSync(folder, { recursive: true });
    });

    const status = async () => (await fetch(url)).status;

    it('has a valid configuration', () => {
      const { stderr, status: code } = spawnSync('haproxy', ['-c', '-f', FILE], {
        encoding: 'utf8',
      });
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    });

    it('keeps a gateway that answers a check late', async () => {
      ready = () => delay(SLOW_MS, 200);
      for (let second = 0; second < 4; second += 1) {
        await delay(1000);
        expect(await status()).toBe(200);
      }
    });

    it('uses a gateway that is not ready while there is no other', async () => {
      ready = () => Promise.resolve(503);
      for (let second = 0; second < 4; second += 1) {
        await delay(1000);
        expect(await status()).toBe(200);
      }
    });

    it('answers like a gateway while none answers', async () => {
      gateway.close();
      gateway.closeAllConnections();
      await eventually(async () => expect(await status()).toBe(503));
      const answer = await fetch(url);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(answer.headers.get('content-type')).toBe('application/json');
      const { code, msg } = requestErrors.temporarilyUnavailable;
      expect(await answer.json()).toEqual({ result: 'error', msg, code });
    });
  },
);

describe('The errors of the proxy of the compose file', () => {
  it('are those of the catalogue', () => {
    const errors = [...readFileSync(FILE, 'utf8').matchAll(/http-error .* string '(.*?)'/g)];
    const known = Object.values(requestErrors).map(({ code, msg }) => ({
      result: 'error',
      msg,
      code,
    }));
    expect(errors).toHaveLength(6);
    for (const [, text = ''] of errors) expect(known).toContainEqual(JSON.parse(text));
  });
});
