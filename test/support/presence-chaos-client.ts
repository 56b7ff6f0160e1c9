import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { errorText } from '#platform/core';
import { basicAuthorization, encodeForm, type Fields } from './api-client.js';
import type { SeededRandom } from './seeded-random.js';
import type { Person } from './organisation.js';
import type { Span } from './presence-possible-times.js';
import type { PresenceTimes } from './presence-realm.js';
import type { PresenceState } from './presence-viewer.js';

export const encodings = ['gzip', 'br', 'identity'] as const;
type ClientEncoding = (typeof encodings)[number];

const DEADLINE_MS = 20_000;
const LARGE_ENTRIES = 100;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** The results of all clients. */
export class ClientsTally {
  /** Responses that no client may receive. */
  readonly refused: string[] = [];
  /** Cursors that were lower than the previous one. */
  readonly wentBack: string[] = [];
  /** Connections without a response; the client then used another gateway. */
  readonly broken: string[] = [];
  readonly tookMs: number[] = [];
  /** Answers with more than a hundred entries, by encoding. */
  readonly large: Record<string, number> = {};
  received = 0;

  /** A percentile of the response times. */
  percentile(part: number): number {
    const sorted = this.tookMs.toSorted((one, other) => one - other);
    return Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
  }
}

interface ChaosAnswer {
  readonly status: number;
  /** `identity` if the response names none. */
  readonly encoding: string;
  readonly text: string;
  /** The parsed JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
  /** UNIX seconds between the request and its answer. */
  readonly at: Span;
}

/** Called for a request that may or may not have been executed. */
type OnUncertain = (at: Span) => void;

/** A client that changes between gateways, and keeps the received state. */
export class ChaosClient {
  #cursor = -1;
  readonly #state = new Map<number, PresenceTimes>();

  constructor(
    readonly person: Person,
    readonly encoding: ClientEncoding,
    private readonly gatewayUrls: readonly string[],
    private readonly random: SeededRandom,
    private readonly tally: ClientsTally,
  ) {}

  get cursor(): number {
    return this.#cursor;
  }

  get state(): PresenceState {
    return this.#state;
  }

  /** Clears the state, as a restarted client does. */
  reset(): void {
    this.#cursor = -1;
    this.#state.clear();
  }

  /** Reports, and applies the changes of the answer. */
  async poll(status: 'active' | 'idle', onUncertain?: OnUncertain): Promise<ChaosAnswer> {
    const fields = { status, last_update_id: this.#cursor };
    const answer = await this.send('POST', '/users/me/presence', fields, onUncertain);
    if (answer.status !== 200) return answer;
    const cursor = Number(answer.body['presence_last_update_id']);
    if (!(cursor >= this.#cursor)) {
      this.tally.wentBack.push(`${this.person.id}: from ${this.#cursor} to ${cursor}`);
    }
    this.#cursor = cursor;
    // The shape of a successful answer in the modern format.
    const received = Object.entries(answer.body['presences'] as Record<string, PresenceTimes>);
    for (const [id, times] of received) this.#state.set(Number(id), times);
    this.tally.received += received.length;
    if (received.length > LARGE_ENTRIES) {
      this.tally.large[answer.encoding] = (this.tally.large[answer.encoding] ?? 0) + 1;
    }
    return answer;
  }

  /** Tries one gateway after another until one answers. Records every failure. */
  async send(
    method: string,
    path: string,
    fields: Fields = {},
    onUncertain: OnUncertain = () => undefined,
  ): Promise<ChaosAnswer> {
    const beganAt = performance.now();
    for (const url of this.random.shuffled([...this.gatewayUrls, ...this.gatewayUrls])) {
      const from = nowSeconds();
      try {
        const answer = await this.#sendTo(url, method, path, fields);
        this.tally.tookMs.push(performance.now() - beganAt);
        const whole = { ...answer, at: { from, to: nowSeconds() } };
        if (answer.status !== 200) this.tally.refused.push(`${method} ${path}: ${answer.text}`);
        return whole;
      } catch (error) {
        this.tally.broken.push(`${method} ${path}: ${errorText(error)}`);
        onUncertain({ from, to: nowSeconds() });
      }
    }
    throw new Error(`No gateway answers ${method} ${path}.`);
  }

  #sendTo(url: string, method: string, path: string, fields: Fields) {
    const form = encodeForm(fields);
    const headers = {
      host: this.person.host,
      authorization: basicAuthorization(this.person),
      'accept-encoding': this.encoding,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(form),
    };
    return new Promise<Omit<ChaosAnswer, 'at'>>((resolve, reject) => {
      const options = { method, headers, agent, timeout: DEADLINE_MS };
      const outgoing = request(`${url}/api/v1${path}`, options, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          try {
            const encoding = incoming.headers['content-encoding'] ?? 'identity';
            const text = decoded(encoding, Buffer.concat(chunks)).toString();
            // Every answer of the API is a JSON object.
            const body = JSON.parse(text) as Record<string, unknown>;
            resolve({ status: incoming.statusCode ?? 0, encoding, text, body });
          } catch (error) {
            this.tally.refused.push(`${method} ${path}: ${errorText(error)}`);
            reject(error);
          }
        });
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error('Nothing came.')));
      outgoing.on('error', reject);
      outgoing.end(form);
    });
  }
}

function decoded(encoding: string, body: Buffer): Buffer {
  if (encoding === 'gzip') return gunzipSync(body);
  return encoding === 'br' ? brotliDecompressSync(body) : body;
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
