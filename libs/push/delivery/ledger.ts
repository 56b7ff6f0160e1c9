import type { DeliveryState, QueueName } from '#push/jobs';
import type { Retry } from '#push/notifications';
import type { PushTransport } from '#push/providers';
import type { Claimed } from './delivery-lease.js';
import type { Slots } from './platform-pools.js';

/** The state of a delivery after an attempt. */
export type DeliveryProgress<Key> =
  | {
      readonly state: Exclude<DeliveryState, 'pending'>;
      /** The next delivery to the same device, which waited behind this one. */
      readonly next: Key | null;
    }
  | {
      readonly state: 'pending';
      /** UNIX milliseconds. */
      readonly retryAt: number;
      /** How long it has waited, if it waits behind an earlier delivery to the same device. */
      readonly behindForMs: number | null;
      /** The next delivery to the same device, if this one holds it up no longer. */
      readonly next?: Key | null;
    };

/** A delivery, and its progress after an attempt. */
export interface Attempted<Key> {
  readonly key: Key;
  readonly progress: DeliveryProgress<Key>;
}

/** The deliveries of a job. */
export interface JobDeliveries<Key> {
  readonly queue: QueueName;
  readonly keys: readonly Key[];
}

/** The place of retries: the queue, and their job; null for deliveries of other jobs, which waited behind those of this one. */
export interface RequeuePlace<Job> {
  readonly queue: QueueName;
  readonly job: Job | null;
  /** UNIX milliseconds. */
  readonly now: number;
}

/** Deliveries of one kind, and how they are claimed, attempted, requeued and published. */
export interface Ledger<Key, Claim, Job extends JobDeliveries<Key>> {
  /** The deliveries of a key; one if left out. */
  sizeOf?(key: Key): number;
  /** Takes the deliveries that are due, and reads the others. A key of several deliveries may become several. */
  claim(keys: readonly Key[]): Promise<readonly Claimed<Key, Claim>[]>;
  /** Releases one slot as soon as the provider has answered: recording the outcome needs none. */
  attempt(
    transport: PushTransport,
    delivery: Claimed<Key, Claim>,
    slots: Slots,
  ): Promise<DeliveryProgress<Key>>;
  /** Gives back a claimed delivery that was not attempted; left out where none has to wait for a slot after its claim. */
  giveBack?(delivery: Claimed<Key, Claim>): Promise<DeliveryProgress<Key>>;
  /** A text that identifies a key. */
  keyText(key: Key): string;
  /** Adds the jobs of retries. */
  requeue(retries: readonly Retry<Key>[], place: RequeuePlace<Job>): Promise<void>;
  /** Publishes the states of the deliveries of a job; `retries` are those that are still pending. */
  publish(job: Job, attempted: readonly Attempted<Key>[], retries: readonly Retry<Key>[]): void;
}
