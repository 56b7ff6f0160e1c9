import { expect } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { DirectTestService } from '#push/notifications';
import type { ProviderAnswer } from '#push/providers';
import { eventually } from './eventually.js';
import { androidToken, DEMO_APP_ID, iphoneToken } from './push-tokens.js';
import type { Account, PushSystem } from './push-system.js';
import { RecordingTransport } from './recording-transport.js';

/** An account with its phones, and the transports of the workers. */
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
    return this.system.startWorker({ apns: this.apns, fcm: this.fcm }, { sweepMs });
  }

  /** Registers a new Android phone of the account; resolves with its token. */
  async addPhone(): Promise<string> {
    const token = androidToken();
    await this.system.devices.register(this.account, { platform: 'fcm', token });
    return token;
  }

  async addIphone(): Promise<string> {
    const device = { platform: 'apns', token: iphoneToken(), appId: DEMO_APP_ID } as const;
    await this.system.devices.register(this.account, device);
    return device.token;
  }

  sendTest(options?: Parameters<DirectTestService['send']>[1]): Promise<number> {
    return this.system.sendTest.send(this.account, options);
  }

  deliveries() {
    return this.system.deliveriesOf(this.account);
  }

  /** Resolves with the account's deliveries when they have these states. */
  ended(...states: readonly string[]) {
    return eventually(async () => {
      const deliveries = await this.deliveries();
      expect(deliveries.map(({ state }) => state)).toEqual(states);
      return deliveries;
    });
  }
}

/** Delays all answers of a provider until the returned function is called. */
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
