import { beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { EncryptedPhone } from '#test/encrypted-phone';
import { RemoteServer } from '#test/remote-server';
import { useSystem } from '#test/use-system';

const system = useSystem({ environment: { RATE_LIMIT_NEW_SERVERS: '60:1000' } });
let server: RemoteServer;

beforeEach(async () => {
  server = await RemoteServer.register(system.gatewayUrl);
});
describe('POST /remotes/push/e2ee/notify', () => {
  const register = async (phone: EncryptedPhone, by = server) => {
    const { token_kind: _, ...fields } = phone.tokenFields();
    const reply = await by.post('/push/e2ee/register', { realm_uuid: by.realm, ...fields });
    expect(reply).toMatchObject(success);
    return phone;
  };
  const phones = async () => {
    const { public_key: publicKey } = system.demo.push_service;
    return [
      await register(EncryptedPhone.iphone(publicKey)),
      await register(EncryptedPhone.android(publicKey)),
    ] as const;
  };
  const toApple = (phone: EncryptedPhone) => ({
    token_id: phone.tokenId,
    http_headers: { apns_priority: 10, apns_push_type: 'alert' },
    payload: {
      push_key_id: phone.keyId,
      encrypted_data: 'ciphertext',
      aps: { 'mutable-content': 1, alert: { title: 'New notification' }, sound: 'default' },
    },
  });
  const toGoogle = (phone: EncryptedPhone) => ({
    token_id: phone.tokenId,
    fcm_priority: 'high',
    payload: { push_key_id: phone.keyId, encrypted_data: 'ciphertext' },
  });
  const send = (push_requests: readonly unknown[], by = server) =>
    by.postJson('/push/e2ee/notify', { realm_uuid: by.realm, push_requests });
  const answer = (apple: number, android: number, deleted: readonly string[] = []) => ({
    ...success,
    body: {
      apple_successfully_sent_count: apple,
      android_successfully_sent_count: android,
      delete_token_ids: deleted,
      realm_push_status: { can_push: true, expected_end_timestamp: null },
    },
  });

  it('passes the payloads on', async () => {
    const [iphone, android] = await phones();
    expect(await send([toApple(iphone), toGoogle(android)])).toMatchObject(answer(1, 1));
    const [onIphone] = await system.sandbox.shownOn(iphone.token);
    expect(onIphone).toMatchObject({
      headers: { 'apns-push-type': 'alert', 'apns-priority': '10' },
      payload: toApple(iphone).payload,
    });
    const [onAndroid] = await system.sandbox.shownOn(android.token);
    const data = { push_key_id: String(android.keyId), encrypted_data: 'ciphertext' };
    expect(onAndroid?.payload).toMatchObject({ message: { data, android: { priority: 'high' } } });
  });

  it('reports unknown and dead tokens once, and sends to them no more', async () => {
    const [iphone, android] = await phones();
    await system.sandbox.answer(android.token, {
      platform: 'fcm',
      status: 404,
      reason: 'UNREGISTERED',
    });
    const unknown = { ...toApple(iphone), token_id: 'U807QYuy0e0=' };
    const first = await send([
      unknown,
      toGoogle(android),
      toApple(iphone),
      toApple(iphone),
      unknown,
    ]);
    expect(first).toMatchObject(answer(2, 0, ['U807QYuy0e0=', android.tokenId]));
    expect(await send([toGoogle(android)])).toMatchObject(answer(0, 0, [android.tokenId]));
    expect(await system.sandbox.deliveries({ token: android.token })).toHaveLength(1);
    await register(android);
    expect(await send([toApple(iphone)])).toMatchObject(answer(1, 0));
  });

  it('skips what is for the other platform, or too large', async () => {
    const [iphone, android] = await phones();
    const large = { ...toApple(iphone).payload, encrypted_data: 'x'.repeat(4096) };
    const odd = [
      { ...toGoogle(android), token_id: iphone.tokenId },
      { ...toApple(iphone), token_id: android.tokenId },
      { ...toApple(iphone), payload: large },
    ];
    expect(await send(odd)).toMatchObject(answer(0, 0));
  });

  it('shows nothing of the tokens of another server', async () => {
    const [iphone] = await phones();
    const other = await RemoteServer.register(system.gatewayUrl);
    expect(await send([toApple(iphone)], other)).toMatchObject(answer(0, 0, [iphone.tokenId]));
    expect(await system.sandbox.shownOn(iphone.token)).toEqual([]);
  });

  it('refuses malformed and too many requests', async () => {
    const [iphone] = await phones();
    const good = toApple(iphone);
    const cases: readonly (readonly [unknown[], string])[] = [
      [[good, { ...good, token_id: 5 }], 'request["push_requests"][1]["token_id"] is not a string'],
      [
        [good, { ...good, token_id: '??' }],
        'Invalid request["push_requests"][1]["token_id"]: Value error, Not the base64 of 8 bytes',
      ],
      [[{ ...good, http_headers: undefined }], 'request["push_requests"][0]'],
      [
        [{ token_id: good.token_id }],
        'request["push_requests"][0]["payload"] field is missing: Field required',
      ],
      [Array.from({ length: 1001 }, () => good), 'request["push_requests"] is too large'],
    ];
    for (const [requests, msg] of cases) {
      const reply = await send(requests);
      expect(reply.status).toBe(400);
      expect(reply.body['msg']).toContain(msg);
    }
    const large = await server.postJson('/push/e2ee/notify', `"${'x'.repeat(4_194_304)}"`);
    expect(large).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(await system.sandbox.shownOn(iphone.token)).toEqual([]);
  });

  it('is refused for a stopped server or organisation', async () => {
    const [iphone] = await phones();
    const { prisma } = system.database.database;
    const at = new Date(Date.now() - 1000);
    await prisma.$executeRaw`
      UPDATE remote_realms SET stopped_from = ${at}, stop_reason = 'Unpaid.'
      WHERE uuid = ${server.realm}::uuid`;
    const stopped = { status: 400, body: { code: 'PUSH_NOTIFICATIONS_DISALLOWED' } };
    const msg =
      "Your plan doesn't allow sending push notifications. Reason provided by the server: Unpaid.";
    expect(await send([toApple(iphone)])).toMatchObject({ ...stopped, body: { msg } });
    const account = { user_id: 1, realm_uuid: server.realm };
    expect(await server.postJson('/push/notify', account)).toMatchObject(stopped);
    const { body } = await server.upload();
    expect(body['realms']).toEqual({
      [server.realm]: { can_push: false, expected_end_timestamp: null },
    });
    expect(await system.sandbox.shownOn(iphone.token)).toEqual([]);
  });
});
