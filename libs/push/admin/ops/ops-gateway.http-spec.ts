import { describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { sendRequest } from '#test/http-request';
import { useGateway } from '#test/start-gateway';

describe('the ops page of a gateway', () => {
  const system = useGateway();

  const ask = (path: string, authorization?: string) =>
    sendRequest(`${system.gatewayUrl}${path}`, {
      headers: authorization === undefined ? {} : { authorization },
    });

  it('requires its token, and accepts no account', async () => {
    const bearer = `Bearer ${system.demo.ops.token}`;
    expect((await ask('/ops', bearer)).status).toBe(200);
    expect((await ask('/ops/queues', bearer)).status).toBe(200);
    await eventually(async () => {
      const { body } = await ask('/ops/api/overview', bearer);
      expect(body).toMatchObject({ pipeline: { workers: [] }, deadLetters: [] });
    });
    const { email, api_key: key } = system.user('alice');
    for (const path of ['/ops', '/ops/queues', '/ops/api/overview']) {
      expect((await ask(path)).status).toBe(401);
      expect((await ask(path, `Basic ${btoa(`${email}:${key}`)}`)).status).toBe(401);
    }
  });

  it('leaves the paths of the API to the API', async () => {
    const bearer = `Bearer ${system.demo.ops.token}`;
    expect(await ask('/api/v1/users/me')).toMatchObject({
      status: 401,
      body: { result: 'error' },
    });
    expect((await ask('/health/live')).status).toBe(200);
    expect((await ask('/opsy', bearer)).body).toMatchObject({ result: 'error' });
  });
});
