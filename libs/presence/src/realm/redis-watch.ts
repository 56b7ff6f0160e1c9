import type { PresenceStore } from '../redis/presence.store.js';
import { PeriodicTask } from '../schedule/periodic-task.js';
import type { RealmRegistry } from './realm-registry.js';

/** Whoever holds back work while Redis is away. */
export interface RedisListener {
  redisIsAway(error: unknown): void;
  redisIsBack(): Promise<void>;
}

const CHECK_EVERY_MS = 1000;

/**
 * Asks Redis about every realm in one round trip a second, so that a flush, a failover or a dead
 * stream is noticed and repaired also where nobody reports.
 */
export class RedisWatch {
  readonly #task = new PeriodicTask(CHECK_EVERY_MS, () => this.check());

  constructor(
    private readonly store: PresenceStore,
    private readonly realms: RealmRegistry,
    private readonly listener: RedisListener,
  ) {}

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async check(): Promise<void> {
    try {
      const realms = this.realms.all();
      const metas = await this.store.readMetas(realms.map((realm) => realm.realmId));
      // Mirrors first: what was held is merged into a state that has been brought back. A realm that
      // cannot be repaired now must not keep the others from it; its turn comes again.
      for (const [index, realm] of realms.entries()) {
        await realm.check(metas[index] ?? null).catch(() => undefined);
      }
      await this.listener.redisIsBack();
    } catch (error) {
      this.listener.redisIsAway(error);
    }
  }
}
