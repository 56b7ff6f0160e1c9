import { VisibleUsersRepository } from '#directory/guest-access';
import { defaultPresenceTiming, type PresenceTiming } from '#presence/rules';
import { type Clock, systemClock } from '#platform/core';
import type { Database } from '#platform/database';
import { openRedisServers, orOutage, type RedisServers } from '#platform/redis';
import { UserPresenceRepository, WriteBehind } from '#presence/last-seen';
import { PresenceCounters } from '#presence/metrics';
import {
  publishActivations,
  RealmPresence,
  RealmRegistry,
  RedisMonitor,
  UserDirectories,
  UserDirectoryRepository,
} from '#presence/replica';
import { ChangeFollower, PresenceStore, shards } from '#presence/store';
import { AccessLimits } from './access-limits.js';
import { LivePresence, LiveReader } from './live-presence.js';
import { OnlineReader } from './online-reader.js';
import type { PresenceStatus } from './observe-presence.js';
import { ReportBatcher } from './report-batcher.js';

/** The stores and the settings of the presence service. */
export interface PresenceRuntimeOptions {
  /** The URL of a single server, or the URLs of several nodes of a cluster. */
  readonly redisUrl: string | readonly string[];
  /** How long reports are batched for one call to Redis. */
  readonly batchMs: number;
  /** The interval of writes of last seen to PostgreSQL. */
  readonly flushSeconds: number;
  /** Whether guests see only users that they share a channel or conversation with. */
  readonly limitsAccess: boolean;
  /** Default: defaultPresenceTiming. */
  readonly timing?: PresenceTiming;
  /** How long an unused realm stays in memory; default: one hour. */
  readonly unusedRealmMs?: number;
  readonly clock?: Clock;
}

const START_WAIT_MS = 2000;

/** The presence service with its connections to Redis and its background tasks. */
export class PresenceRuntime {
  readonly counters = new PresenceCounters();
  readonly service: LivePresence;
  readonly #redis: RedisServers;
  readonly #store: PresenceStore;
  readonly #realms: RealmRegistry;
  readonly #directories: UserDirectories;
  readonly #batcher: ReportBatcher;
  readonly #monitor: RedisMonitor;
  readonly #follower: ChangeFollower;
  readonly #writeBehind: WriteBehind;
  #onOnline: (realmId: number) => void = () => undefined;

  constructor(database: Database, options: PresenceRuntimeOptions) {
    const clock = options.clock ?? systemClock;
    const timing = options.timing ?? defaultPresenceTiming;
    const storage = new UserPresenceRepository(database);
    this.#redis = openRedisServers([options.redisUrl].flat(), 'presence');
    this.#writeBehind = new WriteBehind(storage, options.flushSeconds * 1000, this.counters);
    this.#store = new PresenceStore(this.#redis.commands, timing);
    const realms = this.#createRealms(storage, timing, clock, options.unusedRealmMs);
    this.#realms = realms;
    this.#directories = this.#createDirectories(database, clock);
    this.#batcher = new ReportBatcher(
      options.batchMs,
      (realmId) => realms.of(realmId),
      this.counters,
      clock,
    );
    this.#monitor = new RedisMonitor(this.#store, realms, this.#batcher, this.#redis);
    this.#follower = new ChangeFollower(this.#redis, () => realms.all());
    this.service = this.#createService(database, options.limitsAccess, clock, timing);
  }

  /** Sets the only listener for users who come online in a realm of this process. */
  onOnline(listener: (realmId: number) => void): void {
    this.#onOnline = listener;
  }

  /** Resolves when Redis answers, or after a short wait; without Redis, presence starts with the data of PostgreSQL. */
  async start(): Promise<void> {
    await this.#redis
      .untilReady(START_WAIT_MS)
      .catch((error: unknown) => this.#batcher.onRedisDown(error));
    this.#monitor.start();
    this.#follower.start();
    this.#writeBehind.start();
  }

  /** The current status. Visits all realms: for scrapes of metrics, not for requests. */
  status(): PresenceStatus {
    const realms = this.#realms.all();
    const followed = realms.filter(({ position }) => position !== null);
    return {
      staleMs: this.#batcher.downMs,
      bufferedUsers: this.#batcher.bufferedUsers,
      dueUsers: this.#writeBehind.dueUsers,
      followedRealms: followed.length,
      unsyncedRealms: realms.length - followed.length,
      users: realms.reduce((sum, { replica }) => sum + (replica?.size ?? 0), 0),
      replicaLagMs: followed.reduce((most, { lagMs }) => Math.max(most, lagMs), 0),
    };
  }

  /** Rejects when Redis does not answer; on a cluster, when a node with one of the shards does not. */
  async checkRedis(): Promise<void> {
    await orOutage(
      this.#redis.commands,
      Promise.all(shards.map((shard) => this.#store.readMetas(shard, []))),
    );
  }

  /** Writes all pending state and closes the connections. Requests must have ended. */
  async stop(): Promise<void> {
    await this.#monitor.stop();
    await this.#batcher.drain();
    // Restores changes that Redis has lost since the last check; no other process may have them.
    await this.#monitor.checkAll();
    await this.#writeBehind.stop();
    await this.#follower.stop();
    await this.#redis.close();
  }

  #createRealms(
    storage: UserPresenceRepository,
    timing: PresenceTiming,
    clock: Clock,
    unusedRealmMs: number | undefined,
  ): RealmRegistry {
    const onDropped = (realmId: number) => {
      this.#directories.forget(realmId);
      this.#writeBehind.forget(realmId);
    };
    const loadLastSeen = async (realmId: number) => {
      const saved = await storage.loadRealm(realmId, timing, clock() / 1000);
      this.#writeBehind.seedKnown(realmId, saved);
      return saved;
    };
    const create = (realmId: number) => {
      const realm = new RealmPresence(
        realmId,
        this.#store,
        loadLastSeen,
        (id, entry) => this.#writeBehind.add(id, entry),
        this.counters,
        timing,
      );
      realm.onlineIds.onOnline(() => this.#onOnline(realmId));
      return realm;
    };
    return new RealmRegistry(create, {
      onDropped,
      ...(unusedRealmMs !== undefined && { unusedRealmMs }),
    });
  }

  #createDirectories(database: Database, clock: Clock): UserDirectories {
    return new UserDirectories(new UserDirectoryRepository(database), clock, (realmId, directory) =>
      publishActivations(this.#realms.of(realmId), directory),
    );
  }

  #createService(
    database: Database,
    limitsAccess: boolean,
    clock: Clock,
    timing: PresenceTiming,
  ): LivePresence {
    const access = new AccessLimits(limitsAccess, new VisibleUsersRepository(database));
    const reader = new LiveReader(
      this.#realms,
      this.#directories,
      access,
      this.#batcher,
      clock,
      this.counters,
    );
    const online = new OnlineReader(this.#realms, this.#directories, access, clock, timing);
    return new LivePresence(this.#realms, this.#batcher, reader, this.#writeBehind, clock, online);
  }
}
