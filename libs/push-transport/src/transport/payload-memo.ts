import type { PushContent } from './push-content.js';
import type { OutgoingPush } from './push-transport.js';

/** All that a payload may depend on: what is the same for every device of one notification. */
export type SharedPart = Pick<OutgoingPush, 'notificationId' | 'recipient' | 'content'>;

interface Made<T> {
  readonly notificationId: string;
  readonly userId: number;
  readonly payload: T;
}

/**
 * Payloads, each made once for all devices that it goes to.
 *
 * It is known again by the content object, which a worker reads once for the deliveries of a job, and
 * forgotten with it.
 */
export class PayloadMemo<T> {
  readonly #made = new WeakMap<PushContent, Made<T>>();

  constructor(private readonly make: (push: SharedPart) => T) {}

  of(push: SharedPart): T {
    const { content, notificationId } = push;
    const { userId } = push.recipient;
    const known = this.#made.get(content);
    if (known?.notificationId === notificationId && known.userId === userId) return known.payload;
    const payload = this.make(push);
    this.#made.set(content, { notificationId, userId, payload });
    return payload;
  }
}
