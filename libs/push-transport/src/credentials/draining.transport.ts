import type { OutgoingPush, ProviderAnswer, PushTransport } from '../transport/push-transport.js';

/** A transport that can be replaced while it works: closing it waits for its last answer, whatever its driver. */
export class DrainingTransport implements PushTransport {
  #underWay = 0;
  #whenIdle: (() => void) | undefined;

  constructor(private readonly transport: PushTransport) {}

  async send(push: OutgoingPush): Promise<ProviderAnswer> {
    this.#underWay += 1;
    try {
      return await this.transport.send(push);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenIdle?.();
    }
  }

  /** Call it once, when nothing more will be sent. */
  async close(): Promise<void> {
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    await this.transport.close();
  }
}
