import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakePushService } from '#test/fake-push-service';
import { makeServiceSignIn, RelayRegistration } from './relay-registration.js';

const server = { hostname: 'chat.example.org', contactEmail: 'ada@example.org' };

let service: FakePushService;
let sut: RelayRegistration;

beforeEach(async () => {
  service = await FakePushService.start();
  sut = new RelayRegistration(service.url);
});
afterEach(() => service.stop());

const succeeds = (fields: object) => JSON.stringify({ result: 'success', msg: '', ...fields });

const answers = (fields: object, status = 200) => {
  const body = status === 200 ? succeeds(fields) : JSON.stringify(fields);
  service.fault = () => ({ kind: 'answer', status, body });
};

describe(makeServiceSignIn.name, () => {
  it('makes what services accept', () => {
    const { orgId, orgKey } = makeServiceSignIn();
    expect(orgId).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(orgKey).toMatch(/^[\da-f]{64}$/);
  });
});

describe(RelayRegistration.name, () => {
  it('registers with an id and a key', async () => {
    answers({ created: true });
    const signIn = makeServiceSignIn();
    expect(await sut.register(signIn, server)).toBe(true);
    expect(service.requests.map(({ path, fields }) => ({ path, fields }))).toEqual([
      {
        path: '/server/register',
        fields: {
          zulip_org_id: signIn.orgId,
          zulip_org_key: signIn.orgKey,
          hostname: server.hostname,
          contact_email: server.contactEmail,
        },
      },
    ]);
  });

  it.each([
    [400, { code: 'BAD_REQUEST', msg: 'x is not a valid hostname' }, 'x is not a valid hostname'],
    [503, {}, 'Received 503 from push notification bouncer'],
    [200, { created: 'yes' }, 'Push notification bouncer returned unexpected status code 200'],
  ])('rejects after the answer %d %j', async (status, body, msg) => {
    answers(body, status);
    await expect(sut.register(makeServiceSignIn(), server)).rejects.toThrow(msg);
  });

  it('takes no id and key of another form', async () => {
    service.fault = ({ path }) => ({
      kind: 'answer',
      status: 200,
      body: succeeds(
        path.endsWith('transfer')
          ? { verification_secret: 'AB' }
          : { zulip_org_id: 'x', zulip_org_key: 'y' },
      ),
    });
    const secrets: string[] = [];
    const put = async (_token: string, secret: string) => void secrets.push(secret);
    await expect(sut.transfer('chat.example.org', { put })).rejects.toThrow(
      'unexpected status code',
    );
    expect(secrets).toEqual(['AB']);
    const [, verification] = service.requests;
    expect(verification?.fields['access_token']).toMatch(/^[\w-]{43}$/);
  });
});
