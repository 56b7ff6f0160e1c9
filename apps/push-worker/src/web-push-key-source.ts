import type { WebPushKeys } from '#push/providers';

type KeysById = Pick<WebPushKeys, 'pairOf'>;

/** The VAPID keys of a transport that is opened before the database. */
export class WebPushKeySource {
  #keys: KeysById | null = null;

  use(keys: KeysById): void {
    this.#keys = keys;
  }

  /** See WebPushKeys.pairOf. */
  async pairOf(id: number): ReturnType<KeysById['pairOf']> {
    if (this.#keys === null) throw new Error('The keys of web push are not there yet');
    return this.#keys.pairOf(id);
  }
}
