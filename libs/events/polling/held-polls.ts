import { Injectable } from '@nestjs/common';
import { atMost } from '#platform/core';
import { LRUCache } from 'lru-cache';
import { type EndSpan, startSpan } from '#platform/telemetry';
import { type EventQueue, QueueNotices } from '#events/queues';
import { eventScopes, LogRestorations, SIGNED_OUT } from '#events/log';
import { EventFollower } from './event-follower.js';
import { Throttle } from './throttle.js';
import { Heartbeats } from './heartbeats.js';
import { endInTurns, type HeldPoll, type PollEndReason } from './held-poll.js';
import type { QueueOwner, WindowedEvent } from './windowed-event.js';

/** A poll with this many events does not wait for more. */
const MANY_EVENTS = 1000;

/** An end may arrive while its poll still begins. A poll begins within this time, also while the stores are slow. */
const RECENT = { ...atMost(10_000), ttl: 60_000 };

/** The polls of one organisation. */
interface RealmPolls {
  /** New lists replace the lists of an account, because polls end while they are read. */
  readonly byUser: Map<number, readonly HeldPoll[]>;
  readonly publicListeners: Set<HeldPoll>;
}

/** The polls that wait in this gateway, and the events for them. Each poll belongs to at most one answer. */
@Injectable()
export class HeldPolls {
  readonly #byQueue = new Map<string, HeldPoll>();
  readonly #realms = new Map<number, RealmPolls>();
  /** The polls with events that are not answered yet. */
  #woken: HeldPoll[] = [];
  /** The spans of the changes whose events woke them, by their trace contexts. */
  #traces = new Map<string, EndSpan | null>();
  readonly #heartbeats = new Heartbeats(() => this.#byQueue.values());
  readonly #throttle = new Throttle<'all'>(() => this.#answerNow());
  /** The recent ends of sign-ins or queues by account, and of polls by id or by queue. */
  readonly #signOuts = new LRUCache<number, WindowedEvent>(RECENT);
  readonly #ends = new LRUCache<string, PollEndReason>(RECENT);
  #isEnding = false;

  constructor(follower: EventFollower, restorations: LogRestorations, notices: QueueNotices) {
    follower.sendTo(this);
    restorations.onRestored((realmId) => this.#endAllOf(realmId));
    notices.onEnded((queueId, pollId) =>
      this.end(queueId, pollId, pollId === null ? 'removed' : 'replaced'),
    );
  }

  get count(): number {
    return this.#byQueue.size;
  }

  /** The held polls of accounts. */
  pollsOf(realmId: number, userIds: readonly number[]): readonly HeldPoll[] {
    const byUser = this.#realms.get(realmId)?.byUser;
    return byUser === undefined ? [] : userIds.flatMap((id) => byUser.get(id) ?? []);
  }

  /** Why a poll must not be held: it, its queue or its sign-in has ended while it began, or the gateway stops. */
  endedDuringStart(queue: EventQueue, owner: QueueOwner, pollId: string): PollEndReason | null {
    return (
      this.#signOuts.get(owner.userId)?.endOf(owner, queue) ??
      this.#ends.get(pollId) ??
      this.#ends.get(queue.id) ??
      (this.#isEnding ? 'heartbeat' : null)
    );
  }

  /** Adds a poll, which ends with a heartbeat if nothing happens. A poll of the same queue in this gateway ends as replaced. */
  add(poll: HeldPoll): void {
    const { queue } = poll;
    poll.due = this.#heartbeats.nextDue();
    this.#byQueue.get(queue.id)?.end('replaced');
    this.#byQueue.set(queue.id, poll);
    let realm = this.#realms.get(queue.realmId);
    if (realm === undefined) {
      realm = { byUser: new Map(), publicListeners: new Set() };
      this.#realms.set(queue.realmId, realm);
    }
    const own = realm.byUser.get(queue.userId);
    realm.byUser.set(queue.userId, own === undefined ? [poll] : [...own, poll]);
    if (queue.options.allPublicStreams) realm.publicListeners.add(poll);
  }

  /** Removes a poll that has ended. */
  remove(poll: HeldPoll): void {
    const { queue } = poll;
    if (this.#byQueue.get(queue.id) === poll) this.#byQueue.delete(queue.id);
    const realm = this.#realms.get(queue.realmId);
    if (realm === undefined) return;
    if (queue.options.allPublicStreams) realm.publicListeners.delete(poll);
    const left = (realm.byUser.get(queue.userId) ?? []).filter((other) => other !== poll);
    if (left.length === 0) realm.byUser.delete(queue.userId);
    else realm.byUser.set(queue.userId, left);
    if (realm.byUser.size === 0) this.#realms.delete(queue.realmId);
  }

  /** Ends the poll of a queue if it has this id; null stands for any id. */
  end(queueId: string, pollId: string | null, reason: PollEndReason): void {
    this.#ends.set(pollId ?? queueId, reason);
    const poll = this.#byQueue.get(queueId);
    if (poll !== undefined && (pollId === null || poll.begun.pollId === pollId)) poll.end(reason);
  }

  /** Answers all polls, and every later one at once, because the gateway stops. */
  endAll(): void {
    this.#isEnding = true;
    for (const poll of this.#byQueue.values()) poll.end('heartbeat');
  }

  #endAllOf(realmId: number): void {
    for (const polls of this.#realms.get(realmId)?.byUser.values() ?? []) {
      for (const poll of polls) poll.end('removed');
    }
  }

  /** Gives a new event of an organisation to its polls. */
  deliver(realmId: number, event: WindowedEvent): void {
    const realm = this.#realms.get(realmId);
    if (event.event.type === SIGNED_OUT) this.#signOut(realm, event);
    if (realm !== undefined) this.#offer(realm, event);
  }

  /** Answers the polls that got events. */
  answerWoken(): void {
    if (this.#woken.length > 0 || this.#traces.size > 0) this.#throttle.call('all');
  }

  #signOut(realm: RealmPolls | undefined, event: WindowedEvent): void {
    for (const userId of event.listed) {
      this.#signOuts.set(userId, event);
      for (const poll of realm?.byUser.get(userId) ?? []) {
        const reason = event.endOf(poll.owner, poll.queue);
        if (reason !== null) poll.end(reason);
      }
    }
  }

  #offer(realm: RealmPolls, event: WindowedEvent): void {
    forEachCandidate(realm, event, (poll) => {
      if (event.position <= poll.position) return;
      poll.position = event.position;
      if (!event.isFor(poll.owner, poll.queue.options)) return;
      poll.events.push(event);
      if (poll.events.length === 1) this.#woken.push(poll);
      this.#trace(event);
      if (poll.events.length >= MANY_EVENTS) poll.end('events');
    });
  }

  #trace({ event: { traceParent } }: WindowedEvent): void {
    if (traceParent === null || this.#traces.has(traceParent)) return;
    this.#traces.set(traceParent, startSpan('answer polls', traceParent));
  }

  #answerNow(): void {
    const woken = this.#woken;
    const traces = this.#traces;
    this.#woken = [];
    this.#traces = new Map();
    endInTurns(woken, 'events', () => {
      for (const end of traces.values()) end?.({ 'carillon.events.polls': woken.length });
    });
  }
}

/** Calls back for the polls of the accounts of an event, which may end meanwhile. */
function forEachCandidate(
  { byUser, publicListeners }: RealmPolls,
  { event: { scope }, listed }: WindowedEvent,
  offer: (poll: HeldPoll) => void,
): void {
  if (scope === eventScopes.all || scope === eventScopes.members) {
    for (const polls of byUser.values()) polls.forEach(offer);
    return;
  }
  for (const userId of listed) byUser.get(userId)?.forEach(offer);
  if (scope === eventScopes.publicListeners) publicListeners.forEach(offer);
}
