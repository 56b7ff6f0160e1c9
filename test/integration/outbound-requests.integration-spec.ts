import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '#platform/core';
import { PushServiceClient } from '#push/relay';
import { makeServerIdentity } from '../../apps/push-sandbox/src/credentials/certificate-authority.js';
import { sendRequest } from '#test/http-request';
import { badRequest, success } from '#test/answers';
import { eventually } from '#test/eventually';
import { LoggingProxy } from '#test/logging-proxy';
import { addOrganisation } from '#test/organisation';
import { OtlpCollector } from '#test/otlp-collector';
import { RemoteHost } from '#test/remote-host';
import { RemoteServer } from '#test/remote-server';
import { startS3Server } from '#test/s3-server';
import { useGateway } from '#test/start-gateway';
import { filePart, multipart } from '#test/uploads-multipart';
import { useFixture, useFolder } from '#test/use-fixture';
import { startVideoProvider } from '#test/video-provider';

/** Names that only the proxy resolves: whatever goes around the proxy, fails. */
const named = (name: string, address: string) => `${name}.test:${address.split(':').at(-1)}`;

const folder = useFolder();
const authority = () => path.join(folder.path, 'authority.pem');
const host = useFixture(async () => {
  const trusted = await makeServerIdentity(new Date(), 'host.test');
  await writeFile(authority(), trusted.authority);
  return RemoteHost.start({ key: trusted.key, cert: trusted.certificate });
});
const bucket = useFixture(startS3Server);
const video = useFixture(startVideoProvider);
const collector = useFixture(() => OtlpCollector.start());
const proxy = useFixture(() => LoggingProxy.start({ credentials: 'ada:secret' }));

const places = () => ({
  bucket: named('bucket', bucket.endpoint),
  video: named('video', video.url),
  collector: named('collector', collector.endpoint),
  host: named('host', host.name),
});

describe('A gateway with an outbound proxy', () => {
  const system = useGateway(() => ({
    ...bucket.environment,
    ...video.environment,
    S3_ENDPOINT: `http://${places().bucket}`,
    WEBEX_API_URL: `http://${places().video}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${places().collector}`,
    OUTBOUND_PROXY_URL: proxy.url.replace('//', '//ada:secret@'),
    PUSH_SERVICE_PROXY_FILTERS_PRIVATE: 'true',
    NODE_EXTRA_CA_CERTS: authority(),
  }));
  beforeEach(() => {
    proxy.answer = { kind: 'tunnel' };
  });

  const asked = (place: string) =>
    proxy.requests.filter(({ authority: to }) => to === place).length;

  it('stores and reads files through it', async () => {
    const person = await (await addOrganisation(system)).addPerson();
    const form = multipart(filePart('a.txt', 'hello'));
    const stored = await person.api.send('POST', '/user_uploads', form);
    expect(stored).toMatchObject(success);
    const address = String(stored.body['url']).replace('/user_uploads', '');
    const link = await person.api.get(`/user_uploads${address}`);
    expect(link).toMatchObject(success);
    expect(asked(places().bucket)).toBeGreaterThan(0);
  });

  it('makes video calls through it: the grant and the meeting', async () => {
    const person = await (await addOrganisation(system)).addPerson();
    const page = new URL(String((await person.api.post('/calls/webex/register')).body['url']));
    expect(page.host).toBe(places().video);
    // The browser of the person opens the page: on its way there is another proxy, or none.
    page.host = new URL(video.url).host;
    const { headers } = await sendRequest(page.href);
    expect((await sendRequest(String(headers.location))).status).toBe(200);
    expect((await person.api.post('/calls/webex/create')).status).toBe(200);
    expect(video.meetings).toHaveLength(1);
    expect(asked(places().video)).toBeGreaterThan(0);
  });

  it('asks the hosts of transfers through it', async () => {
    const server = new RemoteServer(system.gatewayUrl);
    await server.signUp({ hostname: places().host });
    const begin = await system
      .anonymous()
      .post('/remotes/server/register/transfer', { hostname: places().host });
    host.answer = {
      status: 200,
      body: { verification_secret: begin.body['verification_secret'] },
    };
    const end = () =>
      system.anonymous().post('/remotes/server/register/verify_challenge', {
        hostname: places().host,
        access_token: 'token',
      });
    expect(await end()).toMatchObject(success);
    expect(asked(places().host)).toBe(1);
    proxy.answer = { kind: 'refusal', status: 404, body: '<h1>No such host</h1>' };
    expect(await end()).toMatchObject(
      badRequest('Connection error occurred while communicating with the host.'),
    );
  });

  it('sends its spans through it', async () => {
    await system.api('alice').get('/users/me');
    await eventually(() => expect(collector.spans.length).toBeGreaterThan(0));
    expect(asked(places().collector)).toBeGreaterThan(0);
  });

  it('relays through it, and takes no answer of the proxy for one of the service', async () => {
    const service = named('service', system.gatewayUrl);
    const server = new RemoteServer(system.gatewayUrl);
    await server.signUp();
    const signIn = { orgId: server.id, orgKey: server.key };
    const settings = { url: `http://${service}`, ...signIn, externalUrl: 'https://chat.test' };
    const ask = (credentials = 'ada:secret') =>
      new PushServiceClient({ ...settings, proxy: proxy.client({ credentials }) }, systemClock).get(
        '/server/analytics/status',
        5000,
      );
    expect(await ask()).toMatchObject({ kind: 'ok' });
    expect(asked(service)).toBe(1);
    const unsent = { kind: 'unreachable', fault: 'ProxyError', wasSent: false };
    expect(await ask('ada:no')).toEqual({ ...unsent, isSignInRefused: true });
    proxy.answer = { kind: 'refusal', status: 401, body: '{"code":"INVALID_ZULIP_SERVER"}' };
    expect(await ask()).toEqual(unsent);
  });
});
