import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { addOrganisation } from '../support/organisation.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';

jest.setTimeout(60_000);

let system: System;
let operations: readonly Operation[];

/** An endpoint as the gateway's own OpenAPI document tells of it. */
interface Operation {
  readonly method: string;
  /** With a number or a word in each place for a parameter. */
  readonly path: string;
  readonly name: string;
  readonly asksForSignIn: boolean;
}

beforeAll(async () => {
  system = await startGateway();
  operations = await readOperations();
});

afterAll(() => system?.stop());

async function readOperations(): Promise<Operation[]> {
  const { body } = await system.anonymous().get('/openapi.json');
  // The part of an OpenAPI document that is looked at here.
  const { paths } = body as unknown as {
    paths: Record<string, Record<string, { security: readonly object[] }>>;
  };
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{[^}]+\}/g, '1'),
      name: `${method.toUpperCase()} ${path}`,
      asksForSignIn: security.length > 0,
    })),
  );
}

/** Those of the endpoints for which a request is not answered as it should be, by name. */
async function strays(
  candidates: readonly Operation[],
  isRight: (operation: Operation) => Promise<boolean>,
): Promise<string[]> {
  const verdicts = await Promise.all(candidates.map(isRight));
  return candidates.flatMap(({ name }, index) => (verdicts[index] === true ? [] : [name]));
}

describe('Every endpoint', () => {
  it('is there', () => {
    expect(operations.length).toBeGreaterThanOrEqual(40);
  });

  it('asks for authentication, unless it is what gives it', async () => {
    const open = operations.filter(({ asksForSignIn }) => !asksForSignIn);
    expect(open.map(({ name }) => name)).toEqual(['POST /fetch_api_key']);
    const guarded = operations.filter(({ asksForSignIn }) => asksForSignIn);
    expect(
      await strays(guarded, async ({ method, path }) => {
        const { status, body, headers } = await system.anonymous().send(method, path);
        const challenge = headers['www-authenticate'];
        return status === 401 && body['code'] === 'UNAUTHORIZED' && challenge !== undefined;
      }),
    ).toEqual([]);
  });

  it('refuses a key that is nobody’s', async () => {
    const stranger = system.api({ email: 'nobody@demo.carillon.test', api_key: 'x'.repeat(32) });
    expect(
      await strays(
        operations.filter(({ asksForSignIn }) => asksForSignIn),
        async ({ method, path }) => (await stranger.send(method, path)).status === 401,
      ),
    ).toEqual([]);
  });

  it('tells which methods it has', async () => {
    expect(
      await strays(operations, async ({ method, path }) => {
        const { status, headers } = await system.anonymous().send('OPTIONS', path);
        return status === 204 && String(headers.allow).split(', ').includes(method);
      }),
    ).toEqual([]);
  });

  it('answers nonsense with an error of the contract', async () => {
    const nonsense = [
      'x=%00&id=99999999999999999999&user_id=-1&name=%ED%A0%80',
      'to=%7B%7D&type=9&content=&data=%5B%5B%5B%5B&add=%5B1e400%5D&status_text=%F0%9F%99%82',
    ];
    const organisation = await addOrganisation(system);
    for (const query of nonsense) {
      expect(
        await strays(operations, async ({ method, path }) => {
          // Each with an account of its own: some endpoints need no parameters to change it for good.
          const { api } = await organisation.addPerson();
          const reply = await api.send(method, `${path}?${query}`);
          return reply.status < 500 && /^(success|error)$/.test(String(reply.body['result']));
        }),
      ).toEqual([]);
    }
  });
});
