import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { FakePushService, serviceAway } from '#test/fake-push-service';
import { androidToken, iphoneToken } from '#test/push-tokens';
import { type Account, usePushSystem } from '#test/push-system';
import { useFixture } from '#test/use-fixture';

const service = useFixture(() => FakePushService.start());
const system = usePushSystem(() => ({ relay: service.settings }));
const worker = useFixture(() => system.startRelayWorker());
let account: Account;
beforeEach(async () => {
  account = await system.addAccount();
});
afterEach(() => {
  service.fault = () => null;
});
const register = (token: string, by = account) =>
  system.devices.register(by, { platform: 'fcm', token });

async function takeBack(of: Account, messageId: number): Promise<void> {
  await system.takeBack(messageId, of);
  await eventually(async () => {
    const states = (await system.deliveriesOf(of)).map(({ state }) => state);
    expect(states).not.toContain('pending');
  });
}

describe('A notification in plain text through the service', () => {
  it('is one request for all phones of an account', async () => {
    const [android, iphone] = [androidToken(), iphoneToken()];
    await register(android);
    await system.devices.register(account, { platform: 'apns', token: iphone, appId: 'org.a' });
    const before = service.notified.length;
    await takeBack(account, 7);
    const sent = service.notified.slice(before);
    expect(sent).toMatchObject([
      {
        tokens: [android, iphone],
        body: {
          user_id: account.userId,
          android_devices: [android],
          apple_devices: [iphone],
          gcm_options: { priority: 'normal' },
          gcm_payload: { event: 'remove', zulip_message_ids: '7', user_id: `${account.userId}` },
          apns_payload: {
            'content-available': 1,
            custom: { zulip: { event: 'remove', zulip_message_ids: '7' } },
          },
        },
      },
    ]);
  });

  it('removes the tokens that the service has deleted', async () => {
    const [alive, dead] = [androidToken(), androidToken()];
    await register(alive);
    await register(dead);
    service.dead.add(dead);
    await takeBack(account, 8);
    await eventually(async () => expect(await system.tokensOf(account)).toEqual([alive]));
  });

  it('keeps a token that the service has yet to learn of', async () => {
    const [known, waiting] = [androidToken(), androidToken()];
    await register(known);
    service.failAt('/push/register');
    await register(waiting).catch(() => undefined);
    await takeBack(account, 9);
    expect(await system.tokensOf(account)).toEqual([known, waiting].toSorted());
  });

  it.each([
    ['is away', serviceAway],
    ['refuses it', { kind: 'answer', status: 404, body: '{"code":"BAD_REQUEST","msg":"no"}' }],
  ] as const)('waits until a service that %s has forgotten a removed phone', async (_, fault) => {
    const [kept, removed] = [androidToken(), androidToken()];
    await register(kept);
    await register(removed);
    service.failAt('/push/unregister', fault);
    await system.devices.remove(account, { platform: 'fcm', token: removed });
    const sent = await sentAfterRemoval(account, async () => {
      service.fault = () => null;
      await system.sendChanges(worker, account);
    });
    expect(sent).toMatchObject([{ tokens: [kept] }]);
  });

  it('waits until the service has forgotten the phones of an older key', async () => {
    const [old, kept] = [androidToken(), androidToken()];
    await register(old);
    const renewed = await system.replaceKey(account);
    await register(kept, renewed);
    const sent = await sentAfterRemoval(renewed, () => system.logouts.revoke(renewed));
    expect(sent).toMatchObject([{ tokens: [kept] }]);
  });

  /** The requests of a notification that waits until `release`. */
  async function sentAfterRemoval(to: Account, release: () => Promise<void>) {
    const before = service.notified.length;
    await system.takeBack(11, to);
    const waiting = { state: 'pending', reason: 'the push service has yet to forget a phone' };
    await eventually(async () => expect(await system.deliveriesOf(to)).toMatchObject([waiting]));
    await release();
    const delivered = { state: 'delivered' };
    await eventually(async () => expect(await system.deliveriesOf(to)).toMatchObject([delivered]));
    return service.notified.slice(before);
  }

  it('is not sent for an account without phones', async () => {
    const token = androidToken();
    await register(token);
    await system.devices.remove(account, { platform: 'fcm', token });
    const before = service.notified.length;
    await takeBack(account, 10);
    expect(service.notified).toHaveLength(before);
  });
});
