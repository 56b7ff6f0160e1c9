import type { DemoFile, DemoFileUser } from '../../../prisma/seed/demo-files.js';
import { LocalStackError } from '../command.js';
import { DemoMismatch } from './demo-mismatch.js';
import type { Narrator } from './narrator.js';

const FETCH_API_KEY = ['POST', '/fetch_api_key'] as const;
const DEADLINE_MS = 20_000;

/** Somebody who is signed in, or who is about to be. */
export interface Actor {
  /** What the text calls them. */
  readonly name: string;
  readonly email: string;
  readonly apiKey: string | null;
}

type Body = Readonly<Record<string, unknown>>;

/** What a call is expected to answer; `body` names some of its members. */
export interface Expectation {
  readonly status: number;
  readonly body?: Body;
  readonly promise: string;
}

/** Calls the gateway, tells the reader about each call, and holds the answer against what is promised. */
export class DemoApi {
  constructor(
    private readonly world: DemoFile,
    private readonly narrator: Narrator,
  ) {}

  /** Resolves with the answer's body; rejects with DemoMismatch when it is not what was expected. */
  async call(
    actor: Actor,
    [method, path]: readonly ['POST' | 'DELETE', string],
    fields: Readonly<Record<string, string>>,
    expected: Expectation,
  ): Promise<Body> {
    this.narrator.request(actor.name, method, path, fields);
    const { status, body } = await this.ask(actor, [method, path], fields);
    this.narrator.answer(status, body);
    const asExpected = Object.entries(expected.body ?? {}).every(
      ([key, value]) => body[key] === value,
    );
    if (status !== expected.status || !asExpected) {
      throw new DemoMismatch(
        `${expected.promise}: ${expected.status} ${JSON.stringify(expected.body ?? {})}`,
        `${status} ${JSON.stringify(body)}`,
      );
    }
    return body;
  }

  /** A call that the reader is not told about. */
  async ask(
    actor: Actor,
    [method, path]: readonly ['POST' | 'DELETE', string],
    fields: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: Body }> {
    const response = await this.#send(`${this.world.base_url}/api/v1${path}`, {
      method,
      body: new URLSearchParams(fields),
      headers: actor.apiKey === null ? {} : { authorization: basic(actor.email, actor.apiKey) },
    });
    // Every answer of the API is a JSON object.
    return { status: response.status, body: (await response.json()) as Body };
  }

  /** Signs in by password, as the app on a phone does. */
  async signIn({ email, full_name, password }: DemoFileUser): Promise<Actor & { apiKey: string }> {
    const name = full_name.split(' ')[0] ?? full_name;
    const body = await this.call(
      { name, email, apiKey: null },
      FETCH_API_KEY,
      { username: email, password },
      { status: 200, body: { email }, promise: 'The password opens the account' },
    );
    return { name, email, apiKey: String(body['api_key']) };
  }

  /** Signs in somebody whom the text does not speak of. */
  async signInUnseen({ email, full_name: name, password }: DemoFileUser): Promise<Actor> {
    const fields = { username: email, password };
    const { body } = await this.ask({ name, email, apiKey: null }, FETCH_API_KEY, fields);
    return { name, email, apiKey: String(body['api_key']) };
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) });
    } catch (error) {
      throw new LocalStackError(
        `Nothing answers at ${this.world.base_url}. Run "npm start" in another terminal, wait until it ` +
          `says that Carillon is up, and run this again. (${causeOf(error)})`,
      );
    }
  }
}

const basic = (email: string, apiKey: string): string =>
  `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;

/** What lies under the "fetch failed" of a failed connection. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? String(cause.code) : cause.message;
}
