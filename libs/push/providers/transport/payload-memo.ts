import type { OutgoingPush } from './push-transport.js';

/** The fields that a payload may depend on: they are the same for all devices of a notification. */
export type SharedPart = Pick<OutgoingPush, 'notificationId' | 'recipient' | 'content'>;

interface Memo<T> {
  readonly notificationId: string;
  readonly userId: number;
  readonly payload: T;
}

/**
 * Builds each payload once for all devices of a notification. The key is the content object, which a worker
 * reads once for the deliveries of a job; the payload is garbage-collected with it.
 */
export class PayloadMemo<T> {
  readonly #memos = new WeakMap<OutgoingPush['content'], Memo<T>>();

  constructor(private readonly build: (push: SharedPart) => T) {}

  /** The payload of a push. */
  of(push: SharedPart): T {
    const { content, notificationId } = push;
    const { userId } = push.recipient;
    const known = this.#memos.get(content);
    if (known?.notificationId === notificationId && known.userId === userId) return known.payload;
    const payload = this.build(push);
    this.#memos.set(content, { notificationId, userId, payload });
    return payload;
  }
}
