import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { roles } from '#contracts';
import { basicAuthorization } from '../support/api-client.js';
import { sendRequest } from '../support/http-request.js';
import { addOrganisation, type Organisation, type Person } from '../support/organisation.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';
import { type Cost, faultsAmong } from './cost.fixture.js';
import { bodyInputs, type Input, inputsOf, type SizedRequest } from './endpoint-inputs.fixture.js';
import { operations } from './endpoint-operations.fixture.js';

jest.setTimeout(120_000);

/** A request that costs less holds nobody up, whatever it costs at a quarter of its size. */
const FLOOR_MS = 60;
const LONGEST_HOLD_MS = 250;
/** The body of a request without a sign-in is not looked at. */
const LONGEST_HOLD_OF_NOBODY_MS = 60;
const UNAUTHORIZED = 401;

let system: System;
let organisation: Organisation;
let person: Person;

beforeAll(async () => {
  system = await startGateway({});
  organisation = await addOrganisation(system);
  person = await organisation.addPerson({ role: roles.owner });
}, 60_000);

afterAll(() => system?.stop());

/** What lets a request get as far as possible. */
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
});

async function costOf(
  root: string,
  { path, ...request }: SizedRequest,
  isSignedIn: boolean,
): Promise<Cost> {
  const headers = {
    host: organisation.host,
    ...(isSignedIn && { authorization: basicAuthorization(person) }),
    ...request.headers,
  };
  await system.costOf('api-gateway');
  const status = await statusOf(`${root}${path}`, { ...request, headers });
  const cost = await system.costOf('api-gateway');
  // Some endpoints end the account or its key.
  if (isSignedIn && status === UNAUTHORIZED) {
    person = await organisation.addPerson({ role: roles.owner });
  }
  return cost;
}

/** Null where the server closes the connection before it has read the whole request, as it may. */
const statusOf = (...request: Parameters<typeof sendRequest>): Promise<number | null> =>
  sendRequest(...request).then(
    ({ status }) => status,
    () => null,
  );

const faultsOf = (root: string, inputs: readonly Input[]) =>
  faultsAmong(
    inputs.map(({ name, isSignedIn, of }) => ({
      name,
      longestHoldMs: isSignedIn ? LONGEST_HOLD_MS : LONGEST_HOLD_OF_NOBODY_MS,
      run: (share: number) => costOf(root, of(share, values()), isSignedIn),
    })),
    FLOOR_MS,
  );

describe('the cost of a request', () => {
  it.each(operations().map((operation) => [operation.name, operation] as const))(
    'does not grow faster than it does: %s',
    async (_name, operation) => {
      expect(await faultsOf(`${system.gatewayUrl}/api/v1`, inputsOf(operation))).toEqual([]);
    },
  );

  it.each([
    ['an endpoint', 'POST', '/api/v1/users/me/presence'],
    ['no endpoint', 'POST', '/api/v1/nothing'],
    ['no endpoint of the API', 'POST', '/nothing'],
    ['no method of an endpoint', 'PUT', '/api/v1/streams'],
    ['the sign-in of operators', 'POST', '/ops/sign-in'],
  ])('does not grow faster than it does: to %s', async (_name, method, path) => {
    expect(await faultsOf(system.gatewayUrl, bodyInputs({ method, path }))).toEqual([]);
  });
});
