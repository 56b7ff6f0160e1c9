/** How long a mirror has been without an update that Redis is known to have. Times are milliseconds of any clock. */
export class MirrorLag {
  #missing: { readonly top: number; readonly sinceMs: number } | null = null;

  /** Redis was found with `top` as its last update id, and the mirror at `position`. */
  checked(top: number, position: number, nowMs: number): void {
    const missing = this.#missing;
    // An id that Redis has lost again is not waited for.
    if (missing !== null && position < missing.top && missing.top <= top) return;
    this.#missing = top > position ? { top, sinceMs: nowMs } : null;
  }

  /** 0 for a mirror at `position` that has all that the last check saw. */
  lagMs(position: number, nowMs: number): number {
    if (this.#missing === null || position >= this.#missing.top) return 0;
    return nowMs - this.#missing.sinceMs;
  }
}
