import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { issueApnsCertificate } from './credentials/apns-certificates.js';
import { appleToken, SandboxUnderTest, topic } from '#test/push-sandbox-client';
import { useFixture } from '#test/use-fixture';

const demoTopic = 'org.carillon.demo';

describe('push sandbox: certificates and environments of APNs', () => {
  const sut = useFixture(() => SandboxUnderTest.start());
  let token: string;

  beforeAll(async () => {
    token = await sut.providerToken();
  });
  beforeEach(() => sut.reset());

  const connectAs = ({ certificate: cert, key }: { certificate: string; key: string }) =>
    sut.connect(sut.ports.apns, { cert, key });
  const withoutToken = { authorization: undefined, 'apns-topic': demoTopic };

  it('authenticates an app by its certificate, with 1000 streams and without a provider token', async () => {
    const session = await connectAs({
      certificate: await sut.read('apns-certificate.pem'),
      key: await sut.read('apns-certificate-key.pem'),
    });
    expect(session.remoteSettings.maxConcurrentStreams).toBe(1000);
    expect((await sut.notify(session, '', withoutToken)).status).toBe(200);

    const byTokens = await sut.connect(sut.ports.apns);
    expect(byTokens.remoteSettings.maxConcurrentStreams).toBe(1);
  });

  it('takes the topic from the certificate, and refuses other topics', async () => {
    const session = await connectAs(await issueApnsCertificate(sut.folder, topic));
    const answers = [
      await sut.notify(session, '', { ...withoutToken, 'apns-topic': undefined }),
      await sut.notify(session, '', { ...withoutToken, 'apns-topic': `${topic}.voip` }),
      await sut.notify(session, '', withoutToken),
    ].map(({ status, body }) => `${status} ${body}`);
    expect(answers).toEqual(['200 ', '200 ', '400 {"reason":"TopicDisallowed"}']);
    expect((await sut.deliveries())[0]).toMatchObject({ topic });
  });

  it('refuses certificates that are expired, of another authority or without a topic', async () => {
    const badCertificate = '403 {"reason":"BadCertificate"}';
    const foreign = await SandboxUnderTest.start();
    const bad = [
      await issueApnsCertificate(sut.folder, demoTopic, new Date(Date.now() - 60_000)),
      await issueApnsCertificate(foreign.folder, demoTopic),
      { certificate: await sut.read('server.pem'), key: await sut.read('server-key.pem') },
    ];
    await foreign.stop();
    for (const credentials of bad) {
      const session = await connectAs(credentials);
      expect(session.remoteSettings.maxConcurrentStreams).toBe(1);
      const { status, body } = await sut.notify(session, token, withoutToken);
      expect(`${status} ${body}`).toBe(badCertificate);
    }
  });

  it('knows a token in one environment only, production by default', async () => {
    const production = await sut.connect(sut.ports.apns);
    const development = await sut.connect(sut.ports.apnsSandbox);
    const answersTo = async (device: string) =>
      [
        await sut.notify(production, token, {}, device),
        await sut.notify(development, token, {}, device),
      ].map(({ status, body }) => `${status} ${body}`);
    const unknown = '400 {"reason":"BadDeviceToken"}';

    expect(await answersTo(appleToken)).toEqual(['200 ', unknown]);

    const script = { platform: 'apns', environment: 'sandbox' };
    await sut.control('PUT', `/api/tokens/${appleToken}`, script);
    expect(await answersTo(appleToken)).toEqual([unknown, '200 ']);
    const [, , , delivered] = await sut.deliveries();
    expect(delivered).toMatchObject({ environment: 'sandbox', status: 200 });

    await sut.control('PUT', `/api/tokens/${appleToken}`, { ...script, status: 503, times: 1 });
    expect(await answersTo(appleToken)).toEqual([unknown, '503 ']);
    expect(await answersTo(appleToken)).toEqual([unknown, '200 ']);
    await sut.control('DELETE', `/api/tokens/${appleToken}`);
  });

  it('has the same mode in both environments', async () => {
    await sut.control('PUT', '/api/platforms/apns', { mode: 'down' });
    await expect(sut.connect(sut.ports.apnsSandbox)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    expect((await sut.control('GET', '/health/ready')).status).toBe(200);
  });

  it('lists provider tokens by fingerprint without showing them', async () => {
    const session = await sut.connect(sut.ports.apns);
    const issuedAt = Math.floor(Date.now() / 1000) - 60;
    const mine = await sut.providerToken(issuedAt);
    await sut.notify(session, mine);
    await sut.notify(session, mine);
    await sut.notify(session, `${mine.slice(0, -8)}AAAAAAAA`);

    const { json } = await sut.control('GET', '/api/provider-tokens');

    expect(json).toMatchObject({
      provider_tokens: expect.arrayContaining([
        {
          fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
          issued_at: issuedAt,
          first_seen_at: expect.any(Number),
        },
      ]),
    });
    expect(JSON.stringify(json)).not.toContain(mine.slice(0, 20));
  });
});
