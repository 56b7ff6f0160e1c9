import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { pushTo } from '#test/outgoing-push';
import { androidToken, DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { accepted, CredentialsUnderTest, OTHER_APP } from '#test/push-credentials';
import { SandboxUnderTest } from '#test/push-sandbox-client';
import { useFixture } from '#test/use-fixture';

describe('the credentials of a push worker', () => {
  const sandbox = useFixture(() => SandboxUnderTest.start());
  let sut: CredentialsUnderTest;
  beforeEach(async () => {
    sut = await CredentialsUnderTest.make(sandbox);
  });
  afterEach(async () => {
    await sut.remove();
    await sandbox.reset();
  });

  const bothEnvironments = () => ({
    APNS_SANDBOX_HOST: '127.0.0.1',
    APNS_SANDBOX_PORT: String(sandbox.ports.apnsSandbox),
  });

  it('opens the transports of its queues only', async () => {
    const { transports, credentials } = await sut.open({
      PUSH_QUEUES: 'fcm-bulk,control',
      ...sut.byKey,
    });
    expect(Object.keys(transports)).toEqual(['fcm']);
    expect(credentials).toEqual([]);
    expect(await transports.fcm?.send(pushTo(androidToken()))).toMatchObject({
      kind: 'misconfigured',
    });
  });

  describe('environments', () => {
    const sandboxDevice = async (): Promise<string> => {
      const token = iphoneToken();
      await sandbox.control('PUT', `/api/tokens/${token}`, {
        platform: 'apns',
        environment: 'sandbox',
      });
      return token;
    };
    const attemptsOn = async (token: string) =>
      (await sandbox.deliveries(`?token=${token}`)).map(
        ({ status, environment }) => `${status} ${environment ?? 'production'}`,
      );

    it('finds the environment of a device, production first, and stores it', async () => {
      const { transport } = await sut.openApns({ ...sut.byKey, ...bothEnvironments() });
      const [here, there] = [iphoneToken(), await sandboxDevice()];
      expect(await transport.send(pushTo(here))).toEqual({
        kind: 'accepted',
        environment: 'production',
      });
      expect(await transport.send(pushTo(there))).toEqual({
        kind: 'accepted',
        environment: 'sandbox',
        uniqueId: expect.any(String),
      });
      expect(await attemptsOn(here)).toEqual(['200 production']);
      expect(await attemptsOn(there)).toEqual(['400 production', '200 sandbox']);
    });

    it('sends to the known environment of a device only', async () => {
      const { transport } = await sut.openApns({ ...sut.byKey, ...bothEnvironments() });
      const there = await sandboxDevice();
      expect(await transport.send(pushTo(there, { environment: 'sandbox' }))).toEqual({
        ...accepted,
        uniqueId: expect.any(String),
      });
      const astray = pushTo(there, { environment: 'production' });
      expect(await transport.send(astray)).toMatchObject({ reason: 'BadDeviceToken' });
      expect(await attemptsOn(there)).toEqual(['200 sandbox', '400 production']);
    });

    it('reports a token as bad that neither environment knows', async () => {
      const { transport } = await sut.openApns({ ...sut.byKey, ...bothEnvironments() });
      const token = iphoneToken();
      await sandbox.control('PUT', `/api/tokens/${token}`, {
        platform: 'apns',
        reason: 'BadDeviceToken',
      });
      expect(await transport.send(pushTo(token))).toMatchObject({ reason: 'BadDeviceToken' });
      expect(await attemptsOn(token)).toEqual(['400 production', '400 sandbox']);
    });

    it('stores no environment if only one is configured', async () => {
      const { transport } = await sut.openApns(sut.byKey);
      expect(await transport.send(pushTo(iphoneToken()))).toEqual(accepted);
      expect(await transport.send(pushTo(iphoneToken(), { environment: 'sandbox' }))).toMatchObject(
        { kind: 'misconfigured', reason: expect.stringContaining('sandbox') },
      );
    });
  });

  describe('several apps', () => {
    it('sends for each app with its own certificate or key', async () => {
      await sut.writeApps([
        { topics: [OTHER_APP], ...(await sut.writeCertificate('other', OTHER_APP)) },
        { topics: [DEMO_APP_ID], key_file: 'key.p8', ...sut.team },
      ]);
      const { transport } = await sut.openApns(sut.byApps);
      const pushes = [DEMO_APP_ID, OTHER_APP].map((appId) => pushTo(iphoneToken(), { appId }));
      for (const push of pushes) expect(await transport.send(push)).toEqual(accepted);
      expect((await sandbox.deliveries()).map(({ topic }) => topic)).toEqual([
        DEMO_APP_ID,
        OTHER_APP,
      ]);
      expect(pushes.map((push) => transport.credentialOf?.(push))).toEqual([
        `${sut.team.team_id}/${sut.team.key_id}:production`,
        expect.stringMatching(/^org\.example\.other\/[0-9a-f]{12}:production$/),
      ]);
    });

    it('does not send for an app without a credential', async () => {
      await sut.writeApps([{ topics: [DEMO_APP_ID], key_file: 'key.p8', ...sut.team }]);
      const { transport } = await sut.openApns(sut.byApps);
      expect(await transport.send(pushTo(iphoneToken(), { appId: OTHER_APP }))).toEqual({
        kind: 'misconfigured',
        reason: `no credential for the topic ${OTHER_APP}`,
      });
    });

    it('sends for one app with a single certificate', async () => {
      const files = await sut.writeCertificate('app', OTHER_APP);
      const { transport } = await sut.openApns({
        APNS_CERTIFICATE_FILE: sut.pathOf(files.certificate_file),
        APNS_CERTIFICATE_KEY_FILE: sut.pathOf(files.private_key_file),
      });
      const other = pushTo(iphoneToken(), { appId: OTHER_APP });
      expect(await transport.send(other)).toEqual(accepted);
      expect(await transport.send(pushTo(iphoneToken()))).toMatchObject({ kind: 'misconfigured' });
    });

    it.each([
      [
        'a file that is not there',
        { key_file: 'no.p8' },
        'entry 1: key_file (*no.p8): there is no',
      ],
      [
        'an invalid key',
        { key_file: 'apps.json' },
        'entry 1: key_file (*apps.json): expected a private key',
      ],
    ])('does not start with %s', async (_what, files, message) => {
      await sut.writeApps([{ topics: [DEMO_APP_ID], ...sut.team, ...files }]);
      const [before = '', after = ''] = message.split('*');
      await expect(sut.openApns(sut.byApps)).rejects.toThrow(before);
      await expect(sut.openApns(sut.byApps)).rejects.toThrow(after);
    });

    it('does not start with a certificate of another app, or a key of another certificate', async () => {
      const files = await sut.writeCertificate('other', OTHER_APP);
      await sut.writeApps([{ topics: [DEMO_APP_ID], ...files }]);
      await expect(sut.openApns(sut.byApps)).rejects.toThrow(
        `entry 1: topics: ${DEMO_APP_ID}, but the certificate is for ${OTHER_APP}`,
      );
      await sut.writeApps([{ topics: [OTHER_APP], ...files, private_key_file: 'key.p8' }]);
      await expect(sut.openApns(sut.byApps)).rejects.toThrow('does not belong to the certificate');
    });
  });

  it('shares one provider token between eight workers', async () => {
    const seen = async () => {
      const { json } = await sandbox.control('GET', '/api/provider-tokens');
      return z.object({ provider_tokens: z.array(z.unknown()) }).parse(json).provider_tokens.length;
    };
    const before = await seen();
    const workers = await Promise.all(Array.from({ length: 8 }, () => sut.openApns(sut.byKey)));
    const answers = await Promise.all(
      workers.flatMap(({ transport }) =>
        Array.from({ length: 20 }, () => transport.send(pushTo(iphoneToken()))),
      ),
    );
    expect(answers).toEqual(answers.map(() => accepted));
    expect(await seen()).toBe(before + 1);
  });
});
