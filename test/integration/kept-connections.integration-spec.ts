import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { basicAuthorization } from '#test/api-client';
import { addOrganisation } from '#test/organisation';
import { RemoteServer } from '#test/remote-server';
import { useGateway } from '#test/start-gateway';
import { isForServers, operations } from '../performance/endpoint-operations.fixture.js';

/** How long a connection is used after the last refusal: longer than any timer that a refused request may leave. */
const USED_FOR_MS = 3000;
const PAUSE_MS = 250;
/** A late body waits for the response, at most for this time: some are refused only after it. */
const LATE_MS = 50;

/** A request that is refused for its body, its method or its sign-in. */
interface Refused {
  readonly why: string;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly isAnonymous?: boolean;
}

const FORM = 'application/x-www-form-urlencoded';
const nameless = '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n';

const refusals: readonly Refused[] = [
  { why: 'no boundary', type: 'multipart/form-data', body: 'x' },
  { why: 'a long body without a boundary', type: 'multipart/form-data', body: 'x'.repeat(200_000) },
  { why: 'no parts', type: 'multipart/form-data; boundary=b', body: 'x' },
  { why: 'a nameless part', type: 'multipart/form-data; boundary=b', body: nameless },
  { why: 'broken JSON', type: 'application/json', body: '{"x":' },
  { why: 'a list', type: 'application/json', body: '[]' },
  { why: 'another type', type: 'text/plain', body: 'x' },
  { why: 'an encoding', type: FORM, body: 'x=1', headers: { 'content-encoding': 'gzip' } },
  { why: 'no sign-in', type: FORM, body: 'x=1', isAnonymous: true },
  { why: 'the method', type: FORM, body: 'x=1', method: 'PUT' },
];

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly refused: Refused | undefined;
  /** Whether the body is sent after the response. */
  readonly isLate: boolean;
}

/** A client with one connection, which remembers whether the gateway closed it without saying so. */
class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #seen = new WeakSet<Socket>();
  /** The connections whose end a response has announced. */
  readonly #ending = new WeakSet<Socket>();
  #isEnded = false;
  readonly faults: string[] = [];

  constructor(
    private readonly host: string,
    private readonly authorization: string,
  ) {}

  /** Sends the headers of a request, and its body in a packet of its own. */
  async send(method: string, path: string, refused?: Refused, isLate = false): Promise<void> {
    try {
      await this.#exchange({ method, path, refused, isLate });
    } catch (error) {
      this.faults.push(`${refused?.why ?? 'a later request'}: ${String(error)}`);
    }
  }

  end(): void {
    this.#isEnded = true;
    this.#agent.destroy();
  }

  #exchange({ method, path, refused, isLate }: Exchange): Promise<void> {
    const headers = {
      host: this.host,
      ...(refused?.isAnonymous !== true && { authorization: this.authorization }),
      ...(refused && {
        'content-type': refused.type,
        'content-length': String(refused.body.length),
        ...refused.headers,
      }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(`${system.gatewayUrl}${path}`, {
        method,
        headers,
        agent: this.#agent,
      });
      const answered = once(outgoing, 'response').then(() => undefined, reject);
      outgoing.once('socket', (socket) => this.#watch(socket));
      outgoing.on('error', reject);
      outgoing.once('response', (incoming) => {
        incoming.resume();
        incoming.once('error', reject);
        incoming.once('end', resolve);
        if (incoming.headers.connection === 'close') this.#ending.add(incoming.socket);
      });
      outgoing.flushHeaders();
      const sent = isLate ? Promise.race([answered, delay(LATE_MS)]) : setImmediate();
      void sent.then(() => outgoing.end(refused?.body));
    });
  }

  #watch(socket: Socket): void {
    if (this.#seen.has(socket)) return;
    this.#seen.add(socket);
    socket.once('close', () => {
      if (!this.#isEnded && !this.#ending.has(socket)) this.faults.push('closed without notice');
    });
  }
}

const system = useGateway();

describe('a connection after refused requests', () => {
  it('answers every later request, or was closed with notice', async () => {
    const { id, key } = await RemoteServer.register(system.gatewayUrl);
    const server = basicAuthorization({ email: id, api_key: key });
    const { host } = new URL(system.gatewayUrl);
    const person = await (await addOrganisation(system)).addPerson({ role: roles.owner });
    const own = basicAuthorization(person);
    const targets = [
      ...operations().map((operation) => ({ ...operation, isRemote: isForServers(operation) })),
      ...['/tus', '/nowhere', '/%zz'].map((path) => ({ method: 'POST', path, isRemote: false })),
    ];
    const faults = await Promise.all(
      targets.map(async ({ method, path, isRemote }) => {
        const client = new Client(isRemote ? host : person.host, isRemote ? server : own);
        const url = `/api/v1${path.replaceAll(/\{[^}]+\}/g, '1')}`;
        for (const refused of refusals) {
          await client.send(refused.method ?? method, url, refused);
          await client.send(refused.method ?? method, url, refused, true);
        }
        const until = performance.now() + USED_FOR_MS;
        while (performance.now() < until) {
          await client.send('GET', '/health/live');
          await delay(PAUSE_MS);
        }
        client.end();
        return client.faults.map((fault) => `${method} ${path}: ${fault}`);
      }),
    );
    expect(targets.length).toBeGreaterThan(100);
    expect(faults.flat()).toEqual([]);
  });
});
