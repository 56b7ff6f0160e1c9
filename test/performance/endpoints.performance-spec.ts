import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { basicAuthorization, type Credentials } from '#test/api-client';
import { isLongRun } from '#test/chaos-run';
import { sendRequest } from '#test/http-request';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { RemoteServer } from '#test/remote-server';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';
import { type Cost, faultsAmong } from './cost.fixture.js';
import {
  bodyInputs,
  type Input,
  inputsOfFields,
  inputsOfRequest,
  type SizedRequest,
} from './endpoint-inputs.fixture.js';
import {
  type Field,
  isForServers,
  type Operation,
  operations,
} from './endpoint-operations.fixture.js';

/** Requests below this CPU time are acceptable whatever their growth. */
const FLOOR_MS = 60;
const LONGEST_HOLD_MS = 250;
/** The gateway does not parse the body of a request without a sign-in. */
const LONGEST_HOLD_WITHOUT_SIGN_IN_MS = 60;
const UNAUTHORIZED = 401;

let system: System;
let organisation: Organisation;
let person: Person;
let server: Credentials;

beforeAll(async () => {
  // A refusal by a rate limit costs less than the password check that it spares.
  const settings = { RATE_LIMIT_SIGN_IN: '60:1000000' };
  system = await startGateway(settings, { isOptimised: true });
  organisation = await addOrganisation(system);
  person = await organisation.addPerson({ role: roles.owner });
  server = await newServer();
});

async function newServer(): Promise<Credentials> {
  const { id, key } = await RemoteServer.register(system.gatewayUrl);
  return { email: id, api_key: key };
}

afterAll(() => system?.stop());

/** Valid values, with which a request passes the first checks. */
const values = () => ({
  to: JSON.stringify([person.id]),
  email: 'somebody@example.com',
  full_name: 'Some Body',
  password: 'Long-9-enough',
  appid: 'org.example.app',
  token: 'ab',
  url_template: 'https://example.com/{code}',
  username: person.email,
  field_type: '7',
  anchor: 'newest',
});

async function costOf(
  root: string,
  { path, ...request }: SizedRequest,
  isSignedIn: boolean,
): Promise<Cost> {
  const headers = {
    host: organisation.host,
    ...(isSignedIn && {
      authorization: basicAuthorization(isForServers({ path }) ? server : person),
    }),
    ...request.headers,
  };
  await system.costOf('api-gateway');
  const status = await statusOf(`${root}${path}`, { ...request, headers });
  const cost = await system.costOf('api-gateway');
  // Some endpoints deactivate the account or replace its key.
  if (isSignedIn && status === UNAUTHORIZED) {
    if (isForServers({ path })) server = await newServer();
    else person = await organisation.addPerson({ role: roles.owner });
  }
  return cost;
}

/** Null if the server closes the connection before it has read the whole request, which is allowed. */
const statusOf = (...request: Parameters<typeof sendRequest>): Promise<number | null> =>
  sendRequest(...request).then(
    ({ status }) => status,
    () => null,
  );

const faultsOf = (root: string, inputs: readonly Input[]) =>
  faultsAmong(
    inputs.map(({ name, isSignedIn, of }) => ({
      name,
      longestHoldMs: isSignedIn ? LONGEST_HOLD_MS : LONGEST_HOLD_WITHOUT_SIGN_IN_MS,
      run: (share: number) => costOf(root, of(share, values()), isSignedIn),
    })),
    FLOOR_MS,
  );

/** The parser of the body and the writer of the response depend on the kind. */
const kindOf = ({ method, isMultipart, path, fields }: Operation): string =>
  [
    method,
    isForServers({ path }),
    isMultipart,
    fields.some(({ place }) => place === 'form'),
    WITH_OWN_RESPONSES.some((start) => path.startsWith(start)),
  ].join(' ');
const WITH_OWN_RESPONSES = ['/events', '/user_uploads', '/register'];

const operationsByKind = [
  ...new Map(operations().map((operation) => [kindOf(operation), operation])).values(),
];

/** The same code parses all scalars of a type, and the parameters of an endpoint that have the same schema. */
function parserOf(operation: Operation, { place, schema }: Field): string {
  const isScalar = SCALARS.has(schema.type ?? '');
  const shape = { ...schema, description: undefined, default: undefined };
  return JSON.stringify([isScalar ? kindOf(operation) : operation.name, place, shape]);
}
const SCALARS: ReadonlySet<string> = new Set(['boolean', 'integer', 'number']);

const parsers = new Set<string>();

/** In `npm test`, of the parameters in JSON, one for each parser: most inputs are a megabyte that it refuses. */
const fieldsToMeasure = (operation: Operation): readonly Field[] =>
  operation.fields.filter((field) => {
    if (isLongRun || !field.isJson) return true;
    const parser = parserOf(operation, field);
    const isMeasured = parsers.has(parser);
    parsers.add(parser);
    return !isMeasured;
  });

const named = (all: readonly Operation[]) =>
  all.map((operation) => [operation.name, operation] as const);

describe('The cost of a request', () => {
  it.each(named(operations()))(
    'does not grow faster than its parameters: %s',
    async (_name, operation) => {
      const root = `${system.gatewayUrl}/api/v1`;
      expect(await faultsOf(root, inputsOfFields(operation, fieldsToMeasure(operation)))).toEqual(
        [],
      );
    },
  );

  // The same code handles these inputs for all endpoints, so `npm test` takes one endpoint of each kind.
  it.each(named(isLongRun ? operations() : operationsByKind))(
    'does not grow faster than its query, headers and body: %s',
    async (_name, operation) => {
      const root = `${system.gatewayUrl}/api/v1`;
      expect(await faultsOf(root, inputsOfRequest(operation))).toEqual([]);
    },
  );

  it.each([
    ['an endpoint', 'POST', '/api/v1/users/me/presence'],
    ['no endpoint', 'POST', '/api/v1/nothing'],
    ['no endpoint of the API', 'POST', '/nothing'],
    ['no method of an endpoint', 'PUT', '/api/v1/streams'],
    ['the sign-in of operators', 'POST', '/ops/sign-in'],
  ])('does not grow faster than the request: to %s', async (_name, method, path) => {
    expect(await faultsOf(system.gatewayUrl, bodyInputs({ method, path }))).toEqual([]);
  });
});
