import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { androidToken } from '#test/push-tokens';
import { type Account, usePushSystem } from '#test/push-system';
import { holdAnswers } from '#test/push-world';
import { RecordingTransport } from '#test/recording-transport';

const system = usePushSystem();
let account: Account;
const fcm = new RecordingTransport();

beforeAll(async () => {
  await system.startWorker({ fcm });
});
beforeEach(async () => {
  account = await system.addAccount();
});

describe('The removal of a device', () => {
  it('waits for the pushes in flight, and starts no others', async () => {
    const [token, kept] = [androidToken(), androidToken()];
    for (const one of [token, kept]) {
      await system.devices.register(account, { platform: 'fcm', token: one });
    }
    const events: string[] = [];
    const release = holdAnswers(fcm);
    await system.sendTest.send(account);
    await eventually(() => expect(fcm.sent).toHaveLength(2));
    const removing = system.devices
      .remove(account, { platform: 'fcm', token })
      .then(() => events.push('removed'));
    const sentTo = (wanted: string) => fcm.sent.find((push) => push.token === wanted);
    await eventually(() => expect(sentTo(token)?.isWithdrawn()).toBe(true));
    expect(sentTo(kept)?.isWithdrawn()).toBe(false);
    events.push('answered');
    release();
    await removing;
    expect(events).toEqual(['answered', 'removed']);
  });
});
