import pLimit, { type LimitFunction } from 'p-limit';

/** The limits of OwnerSlots. */
interface SlotLimits {
  /** Work of all owners at once. */
  readonly all: number;
  /** Work of one owner at once. */
  readonly ofOwner: number;
  /** Work of one owner that may wait for other work of it. */
  readonly waiting: number;
  /** The error of more work. */
  readonly refusal: () => Error;
}

/** Bounds the work at once: that of all owners, and that of each, so that one of them does not keep the others waiting. */
export class OwnerSlots {
  readonly #all: LimitFunction;
  readonly #ofOwners = new Map<string, LimitFunction>();

  constructor(private readonly limits: SlotLimits) {
    this.#all = pLimit(limits.all);
  }

  /** Runs work when a slot is free. Rejects with the refusal if too much work of the owner waits. */
  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const own = this.#ofOwners.get(owner) ?? pLimit(this.limits.ofOwner);
    if (own.pendingCount >= this.limits.waiting) throw this.limits.refusal();
    this.#ofOwners.set(owner, own);
    try {
      return await own(() => this.#all(work));
    } finally {
      if (own.activeCount + own.pendingCount === 0) this.#ofOwners.delete(owner);
    }
  }
}
