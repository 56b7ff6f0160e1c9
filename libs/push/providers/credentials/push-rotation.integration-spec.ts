import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { pushTo } from '#test/outgoing-push';
import { androidToken, DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { accepted, CredentialsUnderTest, foreignKey, OTHER_APP } from '#test/push-credentials';
import { SandboxUnderTest } from '#test/push-sandbox-client';
import { useFixture } from '#test/use-fixture';

describe('credentials that are replaced while a push worker runs', () => {
  const sandbox = useFixture(() => SandboxUnderTest.start());
  let sut: CredentialsUnderTest;
  beforeEach(async () => {
    sut = await CredentialsUnderTest.make(sandbox);
  });
  afterEach(async () => {
    await sut.remove();
    await sandbox.reset();
  });

  const refusedKey = { kind: 'refused', status: 403, reason: 'InvalidProviderToken' };

  it('signs in with the new key, and completes the pushes in flight', async () => {
    const { transport, watched } = await sut.openApns(sut.byKey);
    expect(await transport.send(pushTo(iphoneToken()))).toEqual(accepted);
    await sandbox.control('PUT', '/api/platforms/apns', { mode: 'slow', delay_ms: 300 });
    const underWay = Array.from({ length: 20 }, () => transport.send(pushTo(iphoneToken())));

    await sut.write('key.p8', foreignKey());
    await watched?.reload();

    // The sandbox knows nothing of the new key, and says so at once: nobody waits for the old connection.
    expect(await transport.send(pushTo(iphoneToken()))).toMatchObject(refusedKey);
    expect(await Promise.all(underWay)).toEqual(underWay.map(() => accepted));
  });

  it('uses a corrected key', async () => {
    await sut.write('key.p8', foreignKey());
    const { transport, watched } = await sut.openApns(sut.byKey);
    expect(await transport.send(pushTo(iphoneToken()))).toMatchObject(refusedKey);
    await sut.write('key.p8', await sandbox.read('apns-key.p8'));
    await watched?.reload();
    expect(await transport.send(pushTo(iphoneToken()))).toEqual(accepted);
  });

  it('keeps the old key while the new file is invalid, and reports the fault once', async () => {
    const logError = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { transport, watched } = await sut.openApns(sut.byKey);
    await sut.write('key.p8', 'hunter2');
    await watched?.reload();
    expect(logError).not.toHaveBeenCalled();
    for (let look = 0; look < 3; look += 1) await watched?.reload();

    expect(await transport.send(pushTo(iphoneToken()))).toEqual(accepted);
    expect(logError).toHaveBeenCalledTimes(1);
    const [message] = logError.mock.calls[0] ?? [];
    expect(message).toContain(`APNS_KEY_FILE (${sut.pathOf('key.p8')}): expected a private key`);
    expect(message).not.toContain('hunter2');
    expect(watched?.warnings).toEqual([expect.stringContaining('APNS_KEY_FILE')]);

    await sut.write('key.p8', await sandbox.read('apns-key.p8'));
    await watched?.reload();
    expect(watched?.warnings).toEqual([]);
    logError.mockRestore();
  });

  it('uses added apps', async () => {
    const demo = { topics: [DEMO_APP_ID], key_file: 'key.p8', ...sut.team };
    await sut.writeApps([demo]);
    const { transport, watched } = await sut.openApns(sut.byApps);
    expect(await transport.send(pushTo(iphoneToken()))).toEqual(accepted);

    await sut.writeApps([
      demo,
      { topics: [OTHER_APP], ...(await sut.writeCertificate('o', OTHER_APP)) },
    ]);
    await watched?.reload();
    const other = pushTo(iphoneToken(), { appId: OTHER_APP });
    expect(await transport.send(other)).toEqual(accepted);
    expect(await transport.send(pushTo(iphoneToken()))).toEqual(accepted);
  });

  it('does not replace a valid certificate by an expired one', async () => {
    const files = await sut.writeCertificate('app', OTHER_APP);
    await sut.writeApps([{ topics: [OTHER_APP], ...files }]);
    const { transport, watched } = await sut.openApns(sut.byApps);
    await sut.writeCertificate('app', OTHER_APP, new Date(Date.now() - 1000));
    await watched?.reload({ reportsAtOnce: true });

    const push = pushTo(iphoneToken(), { appId: OTHER_APP });
    expect(await transport.send(push)).toEqual(accepted);
    expect(watched?.expiries).toHaveLength(1);
    expect(watched?.expiries[0]?.expiresAt).toBeGreaterThan(Date.now());
    expect(watched?.warnings).toEqual([expect.stringMatching(/certificate .* ended on/)]);
  });

  it('starts with an expired certificate for the other apps, and warns', async () => {
    await sut.writeApps([
      { topics: [OTHER_APP], ...(await sut.writeCertificate('o', OTHER_APP, new Date())) },
      { topics: [DEMO_APP_ID], key_file: 'key.p8', ...sut.team },
    ]);
    const { transport, watched } = await sut.openApns(sut.byApps);
    expect(await transport.send(pushTo(iphoneToken()))).toEqual(accepted);
    expect(await transport.send(pushTo(iphoneToken(), { appId: OTHER_APP }))).toMatchObject({
      reason: 'BadCertificate',
    });
    // The key does not expire.
    expect(watched?.expiries).toHaveLength(1);
    expect(watched?.warnings).toEqual([expect.stringContaining('ended on')]);
  });

  it('uses a new service account', async () => {
    const good = await sandbox.read('service-account.json');
    const { transports, credentials } = await sut.open({
      PUSH_QUEUES: 'fcm',
      FCM_SERVICE_ACCOUNT_FILE: sut.pathOf('service-account.json'),
    });
    const send = () => transports.fcm?.send(pushTo(androidToken(), { appId: null }));
    const nameOf = () => transports.fcm?.credentialOf?.(pushTo(androidToken()));
    expect(await send()).toEqual(accepted);
    const before = nameOf();

    const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const account = {
      ...z.record(z.string(), z.unknown()).parse(JSON.parse(good)),
      private_key_id: 'ffffffffffffffff',
      private_key: foreign.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    };
    await sut.write('service-account.json', JSON.stringify(account));
    await credentials[0]?.reload();
    expect(await send()).toMatchObject({ kind: 'misconfigured' });
    expect(nameOf()).toBe('carillon-demo/ffffffffffff');

    await sut.write('service-account.json', good);
    await credentials[0]?.reload();
    expect(await send()).toEqual(accepted);
    expect(nameOf()).toBe(before);

    await sut.write('service-account.json', '{"project_id":"x"}');
    await credentials[0]?.reload({ reportsAtOnce: true });
    expect(await send()).toEqual(accepted);
    expect(credentials[0]?.warnings.join()).toContain('private_key: ');
  });
});
