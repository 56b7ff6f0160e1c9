import {
  type Field,
  isForServers,
  type Operation,
} from '../performance/endpoint-operations.fixture.js';
import { basicAuthorization } from '#test/api-client';
import type { SeededRandom } from '#test/seeded-random';
import { bodyOf, type HostileBody } from './hostile-bodies.fixture.js';
import {
  FOREIGN_NAMES,
  hostileValue,
  percentEncoded,
  plausibleValue,
} from './hostile-values.fixture.js';

/** The sender of a request: an account, or a client without credentials. */
export interface Actor {
  readonly name: string;
  readonly host: string;
  readonly credentials: { readonly email: string; readonly api_key: string } | null;
}

export interface HostileRequest {
  /** The request line and the headers, for the report of a fault. */
  readonly line: string;
  readonly method: string;
  readonly path: string;
  /** Whether the request has the valid credentials of its actor. */
  readonly isSignedIn: boolean;
  readonly bytes: Buffer;
}

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'BREW',
];
const PATHS = [
  '/',
  '/api/v1',
  '/api/v1/nowhere',
  '/api/v1/users/%00',
  '/api/v1/users/%zz',
  '/api/v1/users/..%2f..%2fetc',
  '//api/v1/users',
  '/api/v1/users/99999999999999999999',
  '/api/v1/users/me/presence/',
  `/api/v1/users/${'x'.repeat(600)}`,
  '/api/v1/users/\u00e9',
  '/user_uploads/2/ab/%2e%2e/x',
  '/user_uploads/temporary/x/y',
  '/user_avatars/1/emoji/images/x.png',
  '/health/live',
  '/health/ready',
  '/calls/zoom/complete?state=x&code=y',
  '/calls/%00/complete',
];
const HEADERS = [
  'Accept: text/html',
  'Accept-Encoding: br;q=2, gzip;q=-1, *;q=a',
  'Content-Encoding: gzip',
  'Cookie: a=b; carillon_ops=1.x',
  'Idempotency-Key: ',
  `Idempotency-Key: ${'k'.repeat(300)}`,
  'If-None-Match: *',
  'Range: bytes=-0,5-1',
  'X-Forwarded-For: 1.2.3.4, unknown, ::1',
  'X-Forwarded-Host: other.test',
  'X-HTTP-Method-Override: DELETE',
  'X-Request-Id: \u0080\u00ff',
  'Upgrade: websocket',
  'Expect: 100-continue',
  'Expect: the-unexpected',
  'Content-Type: ;',
  'Content-Type: multipart/form-data',
  'Content-Type: application/json; charset=utf-7',
  `X-Long: ${'h'.repeat(9000)}`,
  `X-Too-Long: ${'h'.repeat(30_000)}`,
  ' folded: yes',
  'no colon',
  'Bad\u0000Name: x',
];
const AUTHORIZATIONS = [
  '',
  'Basic',
  'Basic ',
  'Basic !!!',
  'Bearer x',
  `Basic ${btoa('a:b:c')}`,
  `Basic ${btoa(`x@y:${'A'.repeat(32)}`)}`,
  `Basic ${'A'.repeat(7000)}`,
];

/** Generates invalid requests from the OpenAPI document. */
export class HostileRequests {
  readonly #ofServers: readonly Operation[];

  constructor(
    private readonly random: SeededRandom,
    private readonly operations: readonly Operation[],
  ) {
    this.#ofServers = operations.filter(isForServers);
  }

  next(actor: Actor): HostileRequest {
    const { random } = this;
    // A server mostly uses the endpoints for servers.
    const isServer = actor.name === 'server' && random.next() < 0.9;
    const operation = random.pick(isServer ? this.#ofServers : this.operations);
    const isKnownPath = random.next() < 0.92;
    const method = random.next() < 0.85 ? operation.method : random.pick(METHODS);
    const path = isKnownPath ? `/api/v1${this.#pathOf(operation)}` : random.pick(PATHS);
    const isSignedIn = actor.credentials !== null && random.next() < 0.95;
    const body: HostileBody =
      operation.method === 'GET' && random.next() < 0.9
        ? { headers: [], content: Buffer.alloc(0) }
        : bodyOf(random, operation, this.#fieldsOf(operation, 'form'));
    const headers = [
      `Host: ${random.next() < 0.97 ? actor.host : random.pick(['', 'other.test', 'a:b:c', '[::1', 'x'.repeat(300)])}`,
      'Connection: close',
      ...this.#authorization(actor, isSignedIn),
      ...operation.fields
        .filter(({ place }) => place === 'header')
        .map(
          (field) =>
            `${field.name}: ${hostileValue(random, field)
              .replaceAll(/[\r\n]/g, ' ')
              .slice(0, 5000)}`,
        ),
      ...(random.next() < 0.15 ? [random.pick(HEADERS)] : []),
      ...body.headers,
    ];
    const line = `${method} ${path}`;
    const head = `${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
    return {
      line: `${actor.name}: ${[line, ...headers.slice(1)].map((text) => text.slice(0, 200)).join(' | ')}`,
      method,
      path,
      isSignedIn,
      bytes: Buffer.concat([Buffer.from(head, 'latin1'), body.content]),
    };
  }

  #authorization({ credentials }: Actor, isSignedIn: boolean): string[] {
    if (isSignedIn && credentials !== null)
      return [`Authorization: ${basicAuthorization(credentials)}`];
    return this.random.next() < 0.5 ? [] : [`Authorization: ${this.random.pick(AUTHORIZATIONS)}`];
  }

  #pathOf(operation: Operation): string {
    const { random } = this;
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const field = operation.fields.find((one) => one.name === name);
      if (field === undefined) return '1';
      const value =
        random.next() < 0.5 ? plausibleValue(random, field) : hostileValue(random, field);
      return escaped(value.slice(0, 1000));
    });
    const query = this.#fieldsOf(operation, 'query')
      .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
      .join('&')
      .slice(0, 12_000);
    return query === '' ? path : `${path}?${query}`;
  }

  /** Most fields of an endpoint, some of them twice, and sometimes an undeclared one. */
  #fieldsOf(operation: Operation, place: Field['place']): [string, string][] {
    const { random } = this;
    const fields = operation.fields
      .filter((field) => field.place === place && random.next() < (field.isRequired ? 0.95 : 0.4))
      .flatMap((field): [string, string][] => {
        const times = random.next() < 0.1 ? 2 : 1;
        return Array.from({ length: times }, () => [
          field.name,
          random.next() < 0.5 ? plausibleValue(random, field) : hostileValue(random, field),
        ]);
      });
    if (random.next() < 0.15)
      fields.push([random.pick(FOREIGN_NAMES), random.pick(['GET', 'DELETE', 'x', '{}'])]);
    return fields;
  }
}

/** Percent-encodes a text, except for a single percent sign. */
const escaped = (text: string): string => (text === '%' ? text : percentEncoded(text));
