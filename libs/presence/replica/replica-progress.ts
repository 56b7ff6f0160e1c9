import { withinDeadline } from '#platform/core';
import { SHARED_ANSWER_TTL_MS } from '#presence/rules';
import { MinHeap } from './min-heap.js';

/** A request waits at most this long for a replica that is behind earlier answers. */
const MAX_CATCH_UP_MS = 500;

/** The progress of the replicas of a realm: the highest positions that were served, and the callers that wait for one. */
export class ReplicaProgress {
  readonly #waiting = new MinHeap<() => void>();
  /** The position that the last answers were built from. */
  #minimumPosition = 0;
  #servedId = 0;

  /** The highest update id that this process has served. */
  get servedId(): number {
    return this.#servedId;
  }

  /** Resolves when a replica reaches `id`. Has no time limit. */
  waitFor(id: number, position: number): Promise<void> {
    if (id <= position) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.add(id, resolve);
    });
  }

  /** Whether a replica at `position` is behind earlier answers. */
  isBehind(position: number): boolean {
    return position < this.#minimumPosition;
  }

  /** Waits until the replica has caught up, for a limited time: Redis may have lost those ids for good. Never rejects. */
  async catchUp(position: () => number): Promise<void> {
    const reached = this.waitFor(this.#minimumPosition, position());
    await withinDeadline(MAX_CATCH_UP_MS, reached, () => undefined);
    this.#minimumPosition = Math.min(this.#minimumPosition, position());
  }

  /** The replica has reached `position`. Resolves the callers that wait for it, and visits no others. */
  advance(position: number): void {
    this.#servedId = Math.max(this.#servedId, position);
    this.#minimumPosition = Math.max(this.#minimumPosition, position);
    let resolve = this.#waiting.takeUpTo(position);
    while (resolve) {
      resolve();
      resolve = this.#waiting.takeUpTo(position);
    }
  }
}

/** Measures how long a replica has lacked an update that Redis has. Times are milliseconds of any clock. */
export class ReplicaLag {
  #missing: { readonly top: number; readonly sinceMs: number } | null = null;
  /** The position of the replica at the last check, if it was behind. */
  #wasBehindAt: number | null = null;

  /**
   * Records a check: the last update id of Redis is `top`, the replica is at `position`. Returns whether two checks found
   * the replica behind at the same position: then it receives nothing from the stream.
   */
  update(top: number, position: number, nowMs: number): boolean {
    this.#updateMissing(top, position, nowMs);
    const isBehindAt = top > position ? position : null;
    const isStuck = isBehindAt !== null && isBehindAt === this.#wasBehindAt;
    this.#wasBehindAt = isBehindAt;
    return isStuck;
  }

  /** 0 if a replica at `position` has everything that the last check found in Redis. */
  lagMs(position: number, nowMs: number): number {
    if (this.#missing === null || position >= this.#missing.top) return 0;
    return nowMs - this.#missing.sinceMs;
  }

  #updateMissing(top: number, position: number, nowMs: number): void {
    const missing = this.#missing;
    // Redis may have lost the id again; then the lag ends.
    if (missing !== null && position < missing.top && missing.top <= top) return;
    this.#missing = top > position ? { top, sinceMs: nowMs } : null;
  }
}

/**
 * The revision of the replica that each account was last answered from. Kept for at least the lifetime of a shared answer,
 * and at most twice as long: after that every shared answer is newer.
 */
export class ServedRevisions {
  #recent = new Map<number, number>();
  #previous = new Map<number, number>();
  #rotatedAtMs = Number.NEGATIVE_INFINITY;

  /** 0 for an account without a recent answer. */
  of(userId: number): number {
    return this.#recent.get(userId) ?? this.#previous.get(userId) ?? 0;
  }

  record(userId: number, revision: number, nowMs: number): void {
    // Math.abs: the clock may have stepped back.
    if (Math.abs(nowMs - this.#rotatedAtMs) >= SHARED_ANSWER_TTL_MS) {
      this.#previous = this.#recent;
      this.#recent = new Map();
      this.#rotatedAtMs = nowMs;
    }
    this.#recent.set(userId, Math.max(revision, this.of(userId)));
  }
}
