import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { RemoteServer } from '#test/remote-server';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let server: RemoteServer;
let user: string;

beforeEach(async () => {
  server = await RemoteServer.register(system.gatewayUrl);
  user = randomUUID();
});

const phone = () => ({ user_uuid: user, token: 'C0FFEE', token_kind: 1 });
const register = () => server.post('/push/register', { ...phone(), ios_app_id: 'org.example.App' });

describe('POST /remotes/push/test_notification', () => {
  const unknown = {
    status: 400,
    body: {
      code: 'INVALID_REMOTE_PUSH_DEVICE_TOKEN',
      msg: 'Device not recognized by the push bouncer',
    },
  };
  const test = (fields: object) => {
    const body = { ...phone(), base_payload: {}, ...fields };
    return server.postJson('/push/test_notification', body);
  };

  it.each([
    { token: 'xyz' },
    { token: '' },
    { token: 'abc' },
    { token: 'f'.repeat(5000) },
    { token_kind: 2 },
    { token_kind: 3 },
    { token_kind: -1 },
  ])('knows no phone with %j', async (fields) => {
    await register();
    expect(await test(fields)).toMatchObject(unknown);
  });

  it('knows a token of Apple in any case', async () => {
    await register();
    expect(await test({ token: 'c0ffee' })).toMatchObject(success);
  });
});

describe('POST /remotes/push/notify', () => {
  it('lists tokens of another form as deleted', async () => {
    const long = 'f'.repeat(5000);
    const body = { user_uuid: user, apple_devices: ['xyz', ''], android_devices: [long] };
    expect(await server.postJson('/push/notify', body)).toMatchObject({
      ...success,
      body: { deleted_devices: { apple_devices: ['', 'xyz'], android_devices: [long] } },
    });
  });
});
