import { defaultPresenceTiming, type PresenceTiming } from '#contracts';
import { type Clock, systemClock } from '#core';
import type { Database } from '#database';
import { VisibleUsersRepository } from '#guest-access';
import { closeRedis, openRedis, type Redis, untilReady } from '#redis';
import { AccessLimits } from './access/access-limits.js';
import { UserDirectories } from './directory/user-directories.js';
import { UserDirectoryRepository } from './directory/user-directory.repository.js';
import { LivePresence } from './live-presence.js';
import { PresenceCounters } from './presence-counters.js';
import { RealmPresence } from './realm/realm-presence.js';
import { RealmRegistry } from './realm/realm-registry.js';
import { RedisWatch } from './realm/redis-watch.js';
import { ChangeFollower } from './redis/change-follower.js';
import { PresenceStore } from './redis/presence.store.js';
import { ReportGatherer } from './report/report-gatherer.js';
import { UserPresenceRepository } from './write-behind/user-presence.repository.js';
import { WriteBehind } from './write-behind/write-behind.js';

export interface PresenceRuntimeOptions {
  readonly redisUrl: string;
  /** How long reports are gathered into one call to Redis. */
  readonly batchMs: number;
  /** How often last seen goes to PostgreSQL. */
  readonly flushSeconds: number;
  /** Whether guests see only whom they share something with. */
  readonly limitsAccess: boolean;
  /** The usual one when left out. */
  readonly timing?: PresenceTiming;
  readonly clock?: Clock;
}

/** The follower's own limit: it is blocked on purpose, for less than this. */
const FOLLOW_TIMEOUT_MS = 5000;

const START_WAIT_MS = 2000;

/** The presence service with its connections to Redis and everything that goes on beside requests. */
export class PresenceRuntime {
  readonly counters = new PresenceCounters();
  readonly service: LivePresence;
  readonly #commands: Redis;
  readonly #streams: Redis;
  readonly #gatherer: ReportGatherer;
  readonly #watch: RedisWatch;
  readonly #follower: ChangeFollower;
  readonly #writeBehind: WriteBehind;

  constructor(database: Database, options: PresenceRuntimeOptions) {
    const clock = options.clock ?? systemClock;
    this.#commands = openRedis(options.redisUrl, 'presence');
    this.#streams = openRedis(options.redisUrl, 'presence-stream', {
      commandTimeout: FOLLOW_TIMEOUT_MS,
    });
    const storage = new UserPresenceRepository(database);
    this.#writeBehind = new WriteBehind(storage, options.flushSeconds * 1000, this.counters);
    const timing = options.timing ?? defaultPresenceTiming;
    const store = new PresenceStore(this.#commands, timing);
    const realms = this.#createRealms(store, storage, timing);
    this.#gatherer = new ReportGatherer(
      options.batchMs,
      (realmId) => realms.of(realmId),
      this.counters,
    );
    this.#watch = new RedisWatch(store, realms, this.#gatherer);
    this.#follower = new ChangeFollower(this.#streams, () => realms.all());
    this.service = this.#createService(database, realms, options.limitsAccess, clock);
  }

  /** Resolves when Redis answers, or soon when it does not: then it begins with what PostgreSQL has. */
  async start(): Promise<void> {
    await untilReady(this.#commands, START_WAIT_MS).catch((error: unknown) =>
      this.#gatherer.redisIsAway(error),
    );
    this.#watch.start();
    this.#follower.start();
    this.#writeBehind.start();
  }

  /** Rejects when Redis does not answer. */
  async checkRedis(): Promise<void> {
    await this.#commands.ping();
  }

  /** Brings to safety what is under way and closes the connections. Requests must have ended. */
  async stop(): Promise<void> {
    await this.#watch.stop();
    await this.#gatherer.drain();
    await this.#writeBehind.stop();
    await this.#follower.stop();
    await Promise.all([closeRedis(this.#commands), closeRedis(this.#streams)]);
  }

  #createRealms(
    store: PresenceStore,
    storage: UserPresenceRepository,
    timing: PresenceTiming,
  ): RealmRegistry {
    return new RealmRegistry(
      (realmId) =>
        new RealmPresence(
          realmId,
          store,
          (id) => storage.loadRealm(id),
          (id, entry) => this.#writeBehind.note(id, entry),
          this.counters,
          timing,
        ),
    );
  }

  #createService(
    database: Database,
    realms: RealmRegistry,
    limitsAccess: boolean,
    clock: Clock,
  ): LivePresence {
    const gatherer = this.#gatherer;
    const directories = new UserDirectories(
      new UserDirectoryRepository(database),
      clock,
      // Whoever polled while they were away has a cursor above their entries.
      (realmId, userIds) =>
        void realms
          .of(realmId)
          .republish(userIds)
          .catch(() => undefined),
    );
    const access = new AccessLimits(limitsAccess, new VisibleUsersRepository(database));
    const flushUser = (userId: number) => this.#writeBehind.flushUser(userId);
    const whenKnown = (userId: number) => this.#writeBehind.whenKnown(userId);
    return new LivePresence(
      { realms, gatherer, directories, access, flushUser, whenKnown },
      clock,
      this.counters,
    );
  }
}
