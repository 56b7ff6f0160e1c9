import { basicAuthorization, encodeForm } from '#test/api-client';
import type { Person } from '#test/organisation';
import type { SeededRandom } from '#test/seeded-random';
import { type Actor, HostileRequests } from '../hostile/hostile-requests.fixture.js';
import { inputsOfFields, inputsOfRequest, type SizedRequest } from './endpoint-inputs.fixture.js';
import type { Operation } from './endpoint-operations.fixture.js';
import { largestRequests } from './largest-answers.fixture.js';
import type { LargestState } from './largest-state.fixture.js';

/** A request as its bytes. */
export interface RawRequest {
  /** The endpoint, and what is hostile. */
  readonly name: string;
  readonly bytes: Buffer;
  /** Whether the request has the valid credentials of its actor. */
  readonly isSignedIn: boolean;
  /** Whether the gateway may close the connection before it has read all of it. */
  readonly isOversized: boolean;
}

/** The shares of the requests for the largest answers, and of those with the largest parameters. */
const LARGEST_ANSWERS = 0.15;
const LARGEST_PARAMETERS = 0.2;
/** With these, large parameters pass the first checks. */
const VALUES = { anchor: 'newest', email: 'somebody@example.com', field_type: '7' };

const largest = Object.entries(largestRequests).flatMap(([endpoint, byName]) =>
  Object.entries(byName).map(([name, of]) => ({ endpoint, name, of })),
);

/** Requests of several kinds in random order: for the largest answers, with the largest parameters, with wrong values. */
export class HostileMix {
  readonly #wrong: HostileRequests;

  constructor(
    private readonly random: SeededRandom,
    private readonly operations: readonly Operation[],
    private readonly states: readonly LargestState[],
  ) {
    this.#wrong = new HostileRequests(random, operations);
  }

  /** A request of the actor, or of the account of a largest state. */
  next(actor: Actor): RawRequest {
    const kind = this.random.next();
    if (kind < LARGEST_ANSWERS) return this.#forLargestAnswer();
    if (kind < LARGEST_ANSWERS + LARGEST_PARAMETERS) return this.#withLargestParameters(actor);
    const { method, path, bytes, isSignedIn } = this.#wrong.next(actor);
    const place = path.split('?')[0]?.slice(0, 60) ?? '';
    return { name: `${method} ${place}, wrong`, bytes, isSignedIn, isOversized: false };
  }

  #forLargestAnswer(): RawRequest {
    const { random } = this;
    const state = random.pick(this.states);
    const { endpoint, name, of } = random.pick(largest);
    const { path, fields = {}, isByBot = false } = of(state);
    const [method = '', ownPath = ''] = endpoint.split(' ');
    const place = path ?? ownPath;
    const form = encodeForm(fields);
    const request =
      method === 'GET'
        ? { method, path: `${place}?${form}` }
        : { method, path: place, headers: FORM, body: form };
    const { bytes } = rawOf(request, isByBot ? state.bot : state.person);
    return { name: `${endpoint}, ${name}`, bytes, isSignedIn: false, isOversized: false };
  }

  #withLargestParameters({ credentials, host }: Actor): RawRequest {
    const { random } = this;
    const operation = random.pick(this.operations);
    const inputs = [...inputsOfFields(operation, operation.fields), ...inputsOfRequest(operation)];
    const { name, isSignedIn, of } = random.pick(inputs);
    const account = isSignedIn && credentials !== null ? { ...credentials, host } : null;
    return {
      name: `${operation.name}, ${name}`,
      ...rawOf(of(random.between(0.2, 1), VALUES), account, host),
      isSignedIn: account !== null,
      isOversized: true,
    };
  }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function rawOf(
  { method, path, headers = {}, body = '' }: SizedRequest,
  account: Pick<Person, 'email' | 'api_key' | 'host'> | null,
  host = account?.host ?? '',
): { bytes: Buffer } {
  const content = Buffer.from(body);
  const all = {
    host,
    connection: 'close',
    'content-length': content.length,
    ...(account !== null && { authorization: basicAuthorization(account) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} /api/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return { bytes: Buffer.concat([Buffer.from(head, 'latin1'), content]) };
}
