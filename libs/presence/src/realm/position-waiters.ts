/** Callers that wait until a mirror is complete up to an update id. */
export class PositionWaiters {
  #waiting: { readonly id: number; readonly resolve: () => void }[] = [];

  until(id: number, position: number): Promise<void> {
    if (id <= position) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ id, resolve });
    });
  }

  moved(position: number): void {
    if (this.#waiting.length === 0) return;
    for (const { id, resolve } of this.#waiting) if (id <= position) resolve();
    this.#waiting = this.#waiting.filter(({ id }) => id > position);
  }
}
