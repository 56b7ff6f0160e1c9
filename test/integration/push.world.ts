import { expect } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { SendTestNotification } from '#push';
import { type ProviderAnswer, RecordingTransport } from '#push-transport';
import { eventually } from '../support/eventually.js';
import { androidToken, DEMO_APP_ID, iphoneToken } from '../support/push-tokens.js';
import type { Account, PushSystem } from './push-system.js';

/** One account of a system with its phones, and the Apple and Google that workers send to. */
export class PushWorld {
  readonly apns = new RecordingTransport();
  readonly fcm = new RecordingTransport();

  private constructor(
    private readonly system: PushSystem,
    readonly account: Account,
  ) {}

  static async in(system: PushSystem): Promise<PushWorld> {
    return new PushWorld(system, await system.addAccount());
  }

  startWorker(sweepMs?: number): Promise<INestApplicationContext> {
    return this.system.startWorker({ apns: this.apns, fcm: this.fcm }, sweepMs);
  }

  /** Resolves with the token of a new Android phone of the account. */
  async addPhone(): Promise<string> {
    const token = androidToken();
    await this.system.registerDevice.execute(this.account, { platform: 'fcm', token });
    return token;
  }

  async addIphone(): Promise<string> {
    const device = { platform: 'apns', token: iphoneToken(), appId: DEMO_APP_ID } as const;
    await this.system.registerDevice.execute(this.account, device);
    return device.token;
  }

  sendTest(wishes?: Parameters<SendTestNotification['execute']>[1]): Promise<number> {
    return this.system.sendTest.execute(this.account, wishes);
  }

  deliveries() {
    return this.system.deliveriesOf(this.account);
  }

  /** Resolves with the account's deliveries once they are in these states. */
  ended(...states: readonly string[]) {
    return eventually(async () => {
      const deliveries = await this.deliveries();
      expect(deliveries.map(({ state }) => state)).toEqual(states);
      return deliveries;
    });
  }
}

/** Has a provider answer nothing until the function that this returns is called. */
export function holdAnswers(
  transport: RecordingTransport,
  answer: ProviderAnswer = { kind: 'accepted' },
): () => void {
  let release: () => void = () => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  transport.answerWith(async () => {
    await isReleased;
    return answer;
  });
  return release;
}
