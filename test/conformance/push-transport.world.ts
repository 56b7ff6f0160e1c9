import type { OutgoingPush, ProviderAnswer, PushTransport } from '#push/providers';
import { type FakeProvider, startFakeProvider } from '#test/fake-provider';
import { pushTo } from '#test/outgoing-push';
import type { RunningSandbox } from './push-sandbox.fixture.js';
import type { Driver, OpenOptions } from './push-transport.drivers.js';

/** One row of the suite. */
export type Case = (world: TransportWorld) => Promise<void>;

export const accepted: ProviderAnswer = { kind: 'accepted' };
/** The request was not on the wire, or the library does not tell. */
export const lost: ProviderAnswer = { kind: 'unanswered', reason: 'connection' };
export const late: ProviderAnswer = { kind: 'unanswered', reason: 'deadline' };

/** The driver and the servers of a case. */
export class TransportWorld {
  readonly #closers: (() => Promise<void>)[] = [];

  constructor(
    readonly driver: Driver,
    readonly sandbox: RunningSandbox,
  ) {}

  /** Opens a transport of this driver, to the sandbox by default. */
  open(options: OpenOptions = {}): PushTransport {
    const transport = this.driver.open(this.sandbox, options);
    this.closeLater(() => transport.close());
    return transport;
  }

  /** Starts a provider with behaviour that the sandbox does not have. */
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

  /** Sets the mode of this driver's platform in the sandbox. */
  setMode(orders: Readonly<Record<string, string | number>>): Promise<void> {
    return this.sandbox.control.setMode(this.driver.platform, orders);
  }

  /** The status of each attempt with a token. */
  async attemptsOn(token: string): Promise<(number | null)[]> {
    const attempts = await this.sandbox.control.deliveries({ token });
    return attempts.map(({ status }) => status);
  }

  closeLater(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Resets the sandbox and closes everything. */
  async end(): Promise<void> {
    await this.setMode({ mode: 'ok' });
    await this.sandbox.control.forget();
    await Promise.all(this.#closers.map((close) => close()));
  }
}
