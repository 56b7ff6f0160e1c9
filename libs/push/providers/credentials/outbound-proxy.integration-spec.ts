import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LoggingProxy } from '#test/logging-proxy';
import { pushTo } from '#test/outgoing-push';
import { accepted, CredentialsUnderTest } from '#test/push-credentials';
import { SandboxUnderTest } from '#test/push-sandbox-client';
import { androidToken, iphoneToken } from '#test/push-tokens';
import { useFixture } from '#test/use-fixture';

/** A name that only the proxy resolves: whatever goes around the proxy, fails. */
const PROVIDERS = 'providers.test';

describe('A worker with an outbound proxy', () => {
  const sandbox = useFixture(() => SandboxUnderTest.start(PROVIDERS));
  let files: CredentialsUnderTest;
  let proxy: LoggingProxy;
  beforeEach(async () => {
    proxy = await LoggingProxy.start({ credentials: 'ada:secret', tls: await serverOf(sandbox) });
    files = await CredentialsUnderTest.make(sandbox);
    await files.write('sign-in', 'ada:secret\n');
  });
  afterEach(async () => {
    await files.remove();
    await proxy.stop();
  });

  const serverOf = async (of: SandboxUnderTest) => ({
    cert: await of.read('server.pem'),
    key: await of.read('server-key.pem'),
  });
  const variables = () => ({
    ...files.byKey,
    FCM_SERVICE_ACCOUNT_FILE: files.pathOf('service-account.json'),
    APNS_HOST: PROVIDERS,
    FCM_HOST: PROVIDERS,
    OUTBOUND_PROXY_URL: proxy.url,
    OUTBOUND_PROXY_AUTH_FILE: files.pathOf('sign-in'),
    OUTBOUND_PROXY_CA_FILE: `${sandbox.folder}/ca.pem`,
  });
  const send = async (more: Readonly<Record<string, string>> = {}) => {
    const { transports } = await files.open({ ...variables(), ...more });
    return [
      await transports.apns?.send(pushTo(iphoneToken())),
      await transports.fcm?.send(pushTo(androidToken())),
    ];
  };
  const asked = () => [...new Set(proxy.requests.map(({ authority }) => authority))].toSorted();

  it.each([
    ['our own drivers', {}],
    ['the drivers of libraries', { APNS_DRIVER: 'node-apn', FCM_DRIVER: 'firebase-admin' }],
  ])('sends everything through it with %s', async (_, drivers) => {
    expect(await send(drivers)).toMatchObject([accepted, accepted]);
    const { apns, fcm } = sandbox.ports;
    expect(asked()).toEqual([`${PROVIDERS}:${apns}`, `${PROVIDERS}:${fcm}`].toSorted());
    // Google's token endpoint too.
    expect(proxy.requests.filter(({ authority }) => authority.endsWith(`:${fcm}`))).toHaveLength(2);
  });

  it('waits for a correct sign-in', async () => {
    await files.write('sign-in', 'ada:wrong');
    const refused = { kind: 'misconfigured', reason: 'proxy' };
    expect(await send()).toEqual([refused, refused]);
  });

  it('goes directly to hosts of NO_PROXY, and then does not find them', async () => {
    const lost = { kind: 'unanswered', reason: 'connection' };
    expect(await send({ NO_PROXY: '.test' })).toMatchObject([lost, lost]);
    expect(asked()).toEqual([]);
  });

  it('does not start with a faulty authority of the proxy', async () => {
    await files.write('ca.pem', 'not a certificate');
    const faulty = { OUTBOUND_PROXY_CA_FILE: files.pathOf('ca.pem') };
    await expect(send(faulty)).rejects.toThrow('OUTBOUND_PROXY_CA_FILE');
  });

  it('trusts no other authority for the proxy', async () => {
    const { OUTBOUND_PROXY_CA_FILE: _, ...without } = variables();
    const { transports } = await files.open(without);
    const fault = { kind: 'unanswered', reason: 'proxy' };
    expect(await transports.apns?.send(pushTo(iphoneToken()))).toMatchObject(fault);
    expect(proxy.requests).toEqual([]);
  });
});
