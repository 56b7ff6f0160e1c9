import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { refusal } from '#push/providers';
import { eventually } from '#test/eventually';
import { FakePushService } from '#test/fake-push-service';
import { androidToken } from '#test/push-tokens';
import { type Account, usePushSystem } from '#test/push-system';
import { RecordingTransport } from '#test/recording-transport';
import { useFixture } from '#test/use-fixture';
import { addSubscription, addVapidKey, newSubscription } from '#test/web-push-client';
import { SubscriptionTests } from '#push/notifications';
import { WebPushRegistration } from '#push/devices';

const service = useFixture(() => FakePushService.start());
const system = usePushSystem(() => ({ relay: service.settings }));
const web = new RecordingTransport();
let account: Account;

beforeAll(async () => {
  await addVapidKey(system.database);
  await system.startRelayWorker({ web });
});
beforeEach(async () => {
  account = await system.addAccount();
  web.sent.splice(0);
});
afterEach(() => {
  service.fault = () => null;
  web.answerWith(() => ({ kind: 'accepted' }));
});

const subscribe = (kind: 'browser' | 'unifiedpush') =>
  addSubscription(system.database, { userId: account.userId, kind, state: 'active' });

async function addPhone(): Promise<string> {
  const token = androidToken();
  await system.devices.register(account, { platform: 'fcm', token });
  return token;
}

/** The states of the deliveries to the account, by platform. */
const states = async () =>
  Object.fromEntries(
    (await system.deliveriesOf(account)).map(({ platform, state }) => [platform, state]),
  );
const untilStates = (expected: object) =>
  eventually(async () => expect(await states()).toEqual(expected));

describe('A subscription of Web Push on a server that relays', () => {
  it('is confirmed and tested by this server, and the service learns nothing of it', async () => {
    const asked = service.requests.length;
    const caller = {
      ...account,
      deliveryEmail: '',
      role: 400,
      isBot: false,
      isPresenceEnabled: true,
      joinedAt: 0,
      realm: { id: system.realmId, subdomain: '', isPresenceDisabled: false },
    };
    const fields = newSubscription(await addVapidKey(system.database));
    const registrations = system.service(WebPushRegistration);
    const { id } = await registrations.register(caller, fields);
    const token = await eventually(() => {
      const [confirmation] = web.sent;
      if (confirmation?.content.kind !== 'confirm') throw new Error('No token was sent');
      return confirmation.content.token;
    });
    await registrations.confirm(caller, id, token);
    await system.service(SubscriptionTests).send(account, id);
    await eventually(() => expect(web.sent).toHaveLength(2));
    expect(web.sent[1]).toMatchObject({
      token: fields.endpoint,
      content: { kind: 'test' },
      recipient: { userId: account.userId },
    });
    await untilStates({ web: 'delivered' });
    const paths = service.requests.slice(asked).map(({ path }) => path);
    expect(paths.filter((path) => !path.startsWith('/server/analytics'))).toEqual([]);
  });

  it('gets removals beside the phones of the service, and a browser gets none', async () => {
    const token = await addPhone();
    const id = await subscribe('unifiedpush');
    await subscribe('browser');
    await system.takeBack(7, account);
    await untilStates({ fcm: 'delivered', web: 'delivered' });
    expect(service.notified.at(-1)).toMatchObject({ tokens: [token] });
    expect(web.sent).toMatchObject([{ content: { kind: 'remove', messageIds: [7] } }]);
    const deliveries = await system.deliveriesOf(account);
    expect(deliveries.map(({ deviceId }) => deviceId)).toEqual([-account.userId, id]);
  });

  it('is notified while the service is away', async () => {
    await addPhone();
    await subscribe('unifiedpush');
    service.failAt('/push');
    await system.takeBack(8, account);
    await untilStates({ fcm: 'pending', web: 'delivered' });
    expect(web.sent).toHaveLength(1);
  });

  it('is removed when its push service has forgotten it, and the phones stay', async () => {
    const token = await addPhone();
    await subscribe('unifiedpush');
    web.answerWith(() => refusal({ status: 410, reason: null }));
    await system.takeBack(9, account);
    await untilStates({ fcm: 'delivered', web: 'dead_token' });
    const { userId } = account;
    expect(await system.database.prisma.webPushSubscription.count({ where: { userId } })).toBe(0);
    expect(await system.tokensOf(account)).toEqual([token]);
  });
});
