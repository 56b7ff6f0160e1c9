import type { DemoFile, DemoFileUser } from '../../../prisma/seed/demo-files.js';
import { LocalStackError } from '../command.js';
import { DemoMismatch, type DemoPrinter, withoutSecrets } from './demo-printer.js';

const FETCH_API_KEY = ['POST', '/fetch_api_key'] as const;
const DEADLINE_MS = 20_000;

/** A user with or without a sign-in. */
export interface Actor {
  /** The name in the text. */
  readonly name: string;
  readonly email: string;
  readonly apiKey: string | null;
}

/** A signed-in user. */
export interface Person extends Actor {
  readonly apiKey: string;
  readonly userId: number;
  readonly fullName: string;
}

type Route = readonly [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string];
export type Fields = Readonly<Record<string, string>>;
export type Body = Readonly<Record<string, unknown>>;

/** The expected response of a call; `body` contains some of its members. */
interface Expectation {
  readonly status: number;
  readonly body?: Body;
  readonly promise: string;
}

interface Answer {
  readonly status: number;
  readonly body: Body;
}

type Credentials = Pick<DemoFileUser, 'email' | 'full_name' | 'password'>;

export const granted = (promise: string): Expectation => ({ status: 200, promise });

/** Calls the gateway, prints each call, and compares the responses with the expectations. */
export class DemoApi {
  constructor(
    private readonly world: DemoFile,
    private readonly printer: DemoPrinter,
  ) {}

  /** Resolves with the body of the response; rejects with DemoMismatch for an unexpected response. */
  async call(
    actor: Actor,
    route: Route,
    fields: Fields,
    expected: Expectation,
    headers: Fields = {},
  ): Promise<Body> {
    this.printer.request(actor.name, route, fields, headers);
    return this.#asExpected(await this.ask(actor, route, fields, headers), expected);
  }

  /** A call that is not printed. */
  async ask(
    actor: Actor,
    [method, path]: Route,
    fields: Fields,
    headers: Fields = {},
  ): Promise<Answer> {
    const url = `${this.world.base_url}/api/v1${path}`;
    const parameters = new URLSearchParams(fields);
    const response =
      method === 'GET'
        ? await this.#send(parameters.size === 0 ? url : `${url}?${parameters}`, actor, {
            method,
            headers,
          })
        : await this.#send(url, actor, { method, headers, body: parameters });
    return readAnswer(response);
  }

  /** Signs in by password, like the app on a phone. */
  async signIn({ email, full_name: fullName, password }: Credentials): Promise<Person> {
    const name = fullName.split(' ')[0] ?? fullName;
    const body = await this.call(
      { name, email, apiKey: null },
      FETCH_API_KEY,
      { username: email, password },
      { status: 200, body: { email }, promise: 'The password opens the account' },
    );
    const userId = Number(body['user_id']);
    return { name, email, fullName, userId, apiKey: String(body['api_key']) };
  }

  /** Signs in a user without printing it. */
  async signInUnseen({ email, full_name: name, password }: Credentials): Promise<Actor> {
    const fields = { username: email, password };
    const { body } = await this.ask({ name, email, apiKey: null }, FETCH_API_KEY, fields);
    return { name, email, apiKey: String(body['api_key']) };
  }

  #asExpected({ status, body }: Answer, expected: Expectation): Body {
    this.printer.answer(status, body);
    const asExpected = Object.entries(expected.body ?? {}).every(
      ([key, value]) => body[key] === value,
    );
    if (status === expected.status && asExpected) return body;
    throw new DemoMismatch(
      `${expected.promise}: ${expected.status} ${JSON.stringify(expected.body ?? {})}`,
      `${status} ${withoutSecrets(body)}`,
    );
  }

  async #send(
    url: string,
    { email, apiKey }: Actor,
    init: RequestInit & { headers?: Fields },
  ): Promise<Response> {
    try {
      return await fetch(url, {
        ...init,
        headers: {
          ...init.headers,
          ...(apiKey !== null && { authorization: basic(email, apiKey) }),
        },
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
    } catch (error) {
      throw new LocalStackError(
        `Nothing answers at ${this.world.base_url}. Run "npm start" in another terminal, wait until it ` +
          `says that Carillon is up, and run this again. (${causeOf(error)})`,
      );
    }
  }
}

/** Every response of the API except a file is a JSON object. */
async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) as Body };
  } catch {
    throw new DemoMismatch('An answer in JSON', `${response.status} ${JSON.stringify(text)}`);
  }
}

const basic = (email: string, apiKey: string): string =>
  `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;

/** The cause of a "fetch failed" error. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? String(cause.code) : cause.message;
}
