import { SHARED_FOR_MS } from './sharing.rules.js';

/**
 * Which state of the mirror each account was last answered from. It is remembered for as long as a shared body may be
 * given out, and up to twice as long: after that every body is newer.
 */
export class ServedRevisions {
  #recent = new Map<number, number>();
  #previous = new Map<number, number>();
  #rotatedAtMs = Number.NEGATIVE_INFINITY;

  /** 0 for an account of which nothing is remembered. */
  of(userId: number): number {
    return this.#recent.get(userId) ?? this.#previous.get(userId) ?? 0;
  }

  note(userId: number, revision: number, nowMs: number): void {
    // Also when the clock has stepped back.
    if (Math.abs(nowMs - this.#rotatedAtMs) >= SHARED_FOR_MS) {
      this.#previous = this.#recent;
      this.#recent = new Map();
      this.#rotatedAtMs = nowMs;
    }
    this.#recent.set(userId, Math.max(revision, this.of(userId)));
  }
}
