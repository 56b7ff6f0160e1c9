import { defaultPresenceTiming, type PresenceTiming } from '#contracts';
import { type Clock, systemClock } from '#core';
import type { Database } from '#database';
import { VisibleUsersRepository } from '#guest-access';
import { openRedisServers, type RedisServers } from '#redis';
import { AccessLimits } from './access/access-limits.js';
import { UserDirectories } from './directory/user-directories.js';
import { UserDirectoryRepository } from './directory/user-directory.repository.js';
import { LivePresence } from './live-presence.js';
import type { PresenceState } from './observe/presence-state.js';
import { PresenceCounters } from './presence-counters.js';
import { LiveReading } from './read/live-reading.js';
import { RealmPresence } from './realm/realm-presence.js';
import { RealmRegistry } from './realm/realm-registry.js';
import { RedisWatch } from './realm/redis-watch.js';
import { ChangeFollower } from './redis/change-follower.js';
import { shards } from './redis/presence-keys.js';
import { PresenceStore } from './redis/presence.store.js';
import { ReportGatherer } from './report/report-gatherer.js';
import { UsageStatistics } from './usage/usage-statistics.js';
import { UserActivityRepository } from './usage/user-activity.repository.js';
import { UserPresenceRepository } from './write-behind/user-presence.repository.js';
import { WriteBehind } from './write-behind/write-behind.js';

export interface PresenceRuntimeOptions {
  /** Of a single server, or several of nodes of one cluster. */
  readonly redisUrl: string | readonly string[];
  /** How long reports are gathered into one call to Redis. */
  readonly batchMs: number;
  /** How often last seen goes to PostgreSQL. */
  readonly flushSeconds: number;
  /** Whether guests see only whom they share something with. */
  readonly limitsAccess: boolean;
  /** The usual one when left out. */
  readonly timing?: PresenceTiming;
  /** How long a realm that nobody asks for stays in memory; an hour when left out. */
  readonly unusedRealmMs?: number;
  readonly clock?: Clock;
}

const START_WAIT_MS = 2000;

/** Usage is looked at by the day, and so is written this much more rarely than last seen. */
const USAGE_RARER = 10;

/** The presence service with its connections to Redis and everything that goes on beside requests. */
export class PresenceRuntime {
  readonly counters = new PresenceCounters();
  readonly service: LivePresence;
  readonly #redis: RedisServers;
  readonly #store: PresenceStore;
  readonly #realms: RealmRegistry;
  readonly #directories: UserDirectories;
  readonly #gatherer: ReportGatherer;
  readonly #watch: RedisWatch;
  readonly #follower: ChangeFollower;
  readonly #writeBehind: WriteBehind;
  readonly #usage: UsageStatistics;

  constructor(database: Database, options: PresenceRuntimeOptions) {
    const clock = options.clock ?? systemClock;
    const timing = options.timing ?? defaultPresenceTiming;
    const storage = new UserPresenceRepository(database, timing, clock);
    this.#redis = openRedisServers([options.redisUrl].flat(), 'presence');
    this.#writeBehind = new WriteBehind(storage, options.flushSeconds * 1000, this.counters);
    this.#usage = new UsageStatistics(
      new UserActivityRepository(database),
      USAGE_RARER * options.flushSeconds * 1000,
      clock,
      this.counters,
    );
    this.#store = new PresenceStore(this.#redis.commands, timing);
    const realms = this.#createRealms(storage, timing, options.unusedRealmMs);
    this.#realms = realms;
    this.#directories = this.#createDirectories(database, clock);
    this.#gatherer = new ReportGatherer(
      options.batchMs,
      (realmId) => realms.of(realmId),
      this.counters,
      clock,
    );
    this.#watch = new RedisWatch(this.#store, realms, this.#gatherer);
    this.#follower = new ChangeFollower(this.#redis, () => realms.all());
    this.service = this.#createService(database, realms, options.limitsAccess, clock);
  }

  /** Resolves when Redis answers, or soon when it does not: then it begins with what PostgreSQL has. */
  async start(): Promise<void> {
    await this.#redis
      .untilReady(START_WAIT_MS)
      .catch((error: unknown) => this.#gatherer.redisIsAway(error));
    this.#watch.start();
    this.#follower.start();
    this.#writeBehind.start();
    this.#usage.start();
  }

  /** How it stands now. Goes through all realms: for who looks now and then. */
  state(): PresenceState {
    const realms = this.#realms.all();
    const followed = realms.filter(({ position }) => position !== null);
    return {
      staleMs: this.#gatherer.awayMs,
      heldUsers: this.#gatherer.heldUsers,
      dueUsers: this.#writeBehind.dueUsers,
      followedRealms: followed.length,
      otherRealms: realms.length - followed.length,
      users: realms.reduce((sum, { mirror }) => sum + (mirror?.size ?? 0), 0),
      mirrorLagMs: followed.reduce((most, { lagMs }) => Math.max(most, lagMs), 0),
    };
  }

  /** Rejects when Redis does not answer, or on a cluster a node that has something of ours. */
  async checkRedis(): Promise<void> {
    await Promise.all(shards.map((shard) => this.#store.readMetas(shard, [])));
  }

  /** Brings to safety what is under way and closes the connections. Requests must have ended. */
  async stop(): Promise<void> {
    await this.#watch.stop();
    await this.#gatherer.drain();
    // What Redis has lost of this process's own since the last check would be gone with it.
    await this.#watch.check();
    await Promise.all([this.#writeBehind.stop(), this.#usage.stop()]);
    await this.#follower.stop();
    await this.#redis.close();
  }

  #createRealms(
    storage: UserPresenceRepository,
    timing: PresenceTiming,
    unusedRealmMs: number | undefined,
  ): RealmRegistry {
    const onDropped = (realmId: number) => {
      this.#directories.forget(realmId);
      this.#writeBehind.forget(realmId);
    };
    const loadLastSeen = async (realmId: number) => {
      const saved = await storage.loadRealm(realmId);
      this.#writeBehind.learn(realmId, saved);
      return saved;
    };
    return new RealmRegistry(
      (realmId) =>
        new RealmPresence(
          realmId,
          this.#store,
          loadLastSeen,
          (id, entry) => this.#writeBehind.note(id, entry),
          this.counters,
          timing,
        ),
      { onDropped, ...(unusedRealmMs !== undefined && { unusedRealmMs }) },
    );
  }

  #createDirectories(database: Database, clock: Clock): UserDirectories {
    return new UserDirectories(new UserDirectoryRepository(database), clock, (realmId, directory) =>
      this.#realms.of(realmId).followDirectory(directory),
    );
  }

  #createService(
    database: Database,
    realms: RealmRegistry,
    limitsAccess: boolean,
    clock: Clock,
  ): LivePresence {
    const gatherer = this.#gatherer;
    const directories = this.#directories;
    const access = new AccessLimits(limitsAccess, new VisibleUsersRepository(database));
    const reading = new LiveReading(realms, directories, access, clock);
    const noteInput = (userId: number, at: number) => this.#usage.note(userId, at);
    const flushUser = (userId: number) => this.#writeBehind.flushUser(userId);
    const whenKnown = (userId: number) => this.#writeBehind.whenKnown(userId);
    return new LivePresence(
      { realms, gatherer, directories, access, reading, noteInput, flushUser, whenKnown },
      clock,
      this.counters,
    );
  }
}
