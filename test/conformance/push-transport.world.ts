import type { OutgoingPush, ProviderAnswer, PushTransport } from '#push-transport';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.js';
import { pushTo } from '../support/outgoing-push.js';
import type { RunningSandbox } from './push-sandbox.fixture.js';
import type { Driver, OpenOptions } from './push-transport.drivers.js';

/** One case: what it does with a driver. */
export type Case = (world: TransportWorld) => Promise<void>;

export const accepted: ProviderAnswer = { kind: 'accepted' };
export const lost: ProviderAnswer = { kind: 'unanswered', reason: 'connection' };
export const late: ProviderAnswer = { kind: 'unanswered', reason: 'deadline' };

/** What a case has to do with: a driver, the sandbox, and whatever else it opens. */
export class TransportWorld {
  readonly #closers: (() => Promise<void>)[] = [];

  constructor(
    readonly driver: Driver,
    readonly sandbox: RunningSandbox,
  ) {}

  /** A transport of this driver; to the sandbox, unless told otherwise. */
  open(options: OpenOptions = {}): PushTransport {
    const transport = this.driver.open(this.sandbox, options);
    this.closeLater(() => transport.close());
    return transport;
  }

  /** A provider that does what the case says, where the sandbox does not. */
  async provider(
    options: Omit<Parameters<typeof startFakeProvider>[0], 'tls'> = {},
  ): Promise<FakeProvider> {
    const provider = await startFakeProvider({ ...options, tls: this.sandbox.server });
    this.closeLater(() => provider.stop());
    return provider;
  }

  push(changes: Partial<OutgoingPush> = {}): OutgoingPush {
    return pushTo(this.driver.newToken(), changes);
  }

  pushes(count: number): OutgoingPush[] {
    return Array.from({ length: count }, () => this.push());
  }

  /** The sandbox's orders to this driver's platform. */
  setMode(orders: Readonly<Record<string, string | number>>): Promise<void> {
    return this.sandbox.control.setMode(this.driver.platform, orders);
  }

  /** What the sandbox answered to each attempt on a token. */
  async attemptsOn(token: string): Promise<(number | null)[]> {
    const attempts = await this.sandbox.control.deliveries({ token });
    return attempts.map(({ status }) => status);
  }

  closeLater(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Undoes everything; what was opened last is closed first. */
  async end(): Promise<void> {
    await this.setMode({ mode: 'ok' });
    await this.sandbox.control.forget();
    await Promise.all(this.#closers.map((close) => close()));
  }
}
