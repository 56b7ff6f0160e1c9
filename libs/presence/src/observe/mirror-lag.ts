/** How long a mirror has been without an update that Redis is known to have. Times are milliseconds of any clock. */
export class MirrorLag {
  #missing: { readonly top: number; readonly sinceMs: number } | null = null;
  /** Where the mirror was behind at the last check, if it was. */
  #trailedAt: number | null = null;

  /**
   * Redis was found with `top` as its last update id, and the mirror at `position`. Returns whether the mirror is
   * behind at the same place twice: then it gets nothing from the stream any more.
   */
  checked(top: number, position: number, nowMs: number): boolean {
    this.#noteMissing(top, position, nowMs);
    const trailsAt = top > position ? position : null;
    const isStuck = trailsAt !== null && trailsAt === this.#trailedAt;
    this.#trailedAt = trailsAt;
    return isStuck;
  }

  /** 0 for a mirror at `position` that has all that the last check saw. */
  lagMs(position: number, nowMs: number): number {
    if (this.#missing === null || position >= this.#missing.top) return 0;
    return nowMs - this.#missing.sinceMs;
  }

  #noteMissing(top: number, position: number, nowMs: number): void {
    const missing = this.#missing;
    // An id that Redis has lost again is not waited for.
    if (missing !== null && position < missing.top && missing.top <= top) return;
    this.#missing = top > position ? { top, sinceMs: nowMs } : null;
  }
}
