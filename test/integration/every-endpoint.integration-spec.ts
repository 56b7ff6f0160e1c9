import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { crossOrigin } from '#test/answers';
import type { Reply } from '#test/http-request';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let operations: readonly Operation[];

/** An endpoint according to the gateway's own OpenAPI document. */
interface Operation {
  readonly method: string;
  /** The path, with 1 for each parameter. */
  readonly path: string;
  readonly name: string;
  readonly requiresSignIn: boolean;
}

beforeAll(async () => {
  operations = await readOperations();
});

async function readOperations(): Promise<Operation[]> {
  const { body } = await system.anonymous().get('/openapi.json');
  // The used part of an OpenAPI document.
  const { paths } = body as unknown as {
    paths: Record<string, Record<string, { security: readonly object[] }>>;
  };
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{[^}]+\}/g, '1'),
      name: `${method.toUpperCase()} ${path}`,
      requiresSignIn: security.length > 0,
    })),
  );
}

/** Servers sign in otherwise. */
const isForServers = (path: string): boolean => path.startsWith('/remotes/');

/** The names of the endpoints whose response is not as expected. */
async function unexpectedOf(
  candidates: readonly Operation[],
  isRight: (operation: Operation) => Promise<boolean>,
): Promise<string[]> {
  const verdicts = await Promise.all(candidates.map(isRight));
  return candidates.flatMap(({ name }, index) => (verdicts[index] === true ? [] : [name]));
}

/** Whether a browser lets a page of any origin read a response with these headers. */
const isForAnyOrigin = (headers: Reply['headers']): boolean =>
  Object.entries(crossOrigin).every(([name, value]) => headers[name] === value);

describe('Every endpoint', () => {
  it('is in the OpenAPI document', () => {
    expect(operations.length).toBeGreaterThanOrEqual(40);
  });

  it('requires a sign-in, except for the sign-in itself and the settings before it', async () => {
    const open = operations.filter(({ requiresSignIn }) => !requiresSignIn);
    expect(open.map(({ name }) => name).toSorted()).toEqual([
      'GET /server_settings',
      'GET /zulip-services/verify/{access_token}',
      'POST /fetch_api_key',
      'POST /remotes/server/register',
      'POST /remotes/server/register/transfer',
      'POST /remotes/server/register/verify_challenge',
    ]);
    const guarded = operations.filter(({ requiresSignIn }) => requiresSignIn);
    expect(
      await unexpectedOf(guarded, async ({ method, path }) => {
        const { status, body, headers } = await system.anonymous().send(method, path);
        const challenge = headers['www-authenticate'];
        return status === 401 && body['code'] === 'UNAUTHORIZED' && challenge !== undefined;
      }),
    ).toEqual([]);
  });

  it('refuses an unknown key', async () => {
    const unknownAccount = system.api({
      email: 'nobody@demo.carillon.test',
      api_key: 'x'.repeat(32),
    });
    expect(
      await unexpectedOf(
        operations.filter(({ requiresSignIn, path }) => requiresSignIn && !isForServers(path)),
        async ({ method, path }) => (await unknownAccount.send(method, path)).status === 401,
      ),
    ).toEqual([]);
  });

  it('lists its methods for OPTIONS', async () => {
    expect(
      await unexpectedOf(operations, async ({ method, path }) => {
        const { status, text, headers } = await system.anonymous().send('OPTIONS', path);
        const allowed = String(headers.allow).split(', ');
        return status === 204 && text === '' && allowed.includes(method) && isForAnyOrigin(headers);
      }),
    ).toEqual([]);
  });

  it('lets pages of other origins read its errors', async () => {
    expect(
      await unexpectedOf(operations, async ({ method, path }) => {
        const { status, headers } = await system.anonymous().send(method, `${path}?x=%00`);
        return status < 500 && isForAnyOrigin(headers);
      }),
    ).toEqual([]);
  });

  it('reads the form in the body of a DELETE', async () => {
    const tooMany = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [index, '']));
    const deletions = operations.filter(({ method }) => method === 'DELETE');
    expect(deletions.length).toBeGreaterThanOrEqual(10);
    const owner = await (await addOrganisation(system)).addPerson({ role: roles.owner });
    expect(
      await unexpectedOf(deletions, async ({ path }) => {
        const { status, body } = await owner.api.delete(path, tooMany);
        return status === 413 && String(body['msg']).includes('too many parameters');
      }),
    ).toEqual([]);
  });

  it('ignores parameters of its path in the body of a DELETE', async () => {
    const deletions = operations.filter(({ name }) => /^DELETE .*\{/.test(name));
    const owner = await (await addOrganisation(system)).addPerson({ role: roles.owner });
    expect(
      await unexpectedOf(deletions, async ({ path, name }) => {
        const names = [...name.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => one);
        const repeated = Object.fromEntries(names.map((one) => [one, 'x']));
        const plain = await owner.api.delete(path);
        const reply = await owner.api.delete(path, repeated);
        return reply.status === plain.status && reply.text === plain.text;
      }),
    ).toEqual([]);
  });

  it('answers nonsense within the contract', async () => {
    const nonsense = [
      'x=%00&id=99999999999999999999&user_id=-1&name=%ED%A0%80',
      'to=%7B%7D&type=9&content=&data=%5B%5B%5B%5B&add=%5B1e400%5D&status_text=%F0%9F%99%82',
    ];
    const organisation = await addOrganisation(system);
    for (const query of nonsense) {
      expect(
        await unexpectedOf(operations, async ({ method, path }) => {
          // Each request has its own account, because some endpoints change the account without any parameters.
          const { api } = await organisation.addPerson();
          const reply = await api.send(method, `${path}?${query}`);
          return reply.status < 500 && /^(success|error)$/.test(String(reply.body['result']));
        }),
      ).toEqual([]);
    }
  });
});
