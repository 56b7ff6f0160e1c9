import { describe, expect, it } from '@jest/globals';
import type { Caller } from '#platform/contracts';
import type { QueueOptions } from '#events/declarations';
import { type LoggedEvent, LogRestorations, NO_EVENTS } from '#events/log';
import { eventIdAt, type EventQueue, type QueueNotices, startIdAt } from '#events/queues';
import type { EventFollower } from './event-follower.js';
import { EventWindow } from './event-window.js';
import { HeldPolls } from './held-polls.js';
import { loggedEvent } from './logged-event.fixture.js';
import { PollMetrics } from './poll-metrics.js';
import { PollingService } from './polling.service.js';
import type { QueueEvents } from './queue-events.js';
import type { QueuePolls } from './queue-polls.js';
import type { RecentEphemeralEvents } from './recent-ephemeral-events.js';
import type { TransientAnswers } from './transient-answers.js';

const REALM = 7;
const USER = 12;
const options: Partial<QueueOptions> = { eventTypes: null, capabilities: [] };
const queue: EventQueue = {
  id: 'q',
  realmId: REALM,
  userId: USER,
  // The events of these tests depend on no other option.
  options: options as QueueOptions,
  startPosition: 0,
  idleSeconds: 600,
};
// A poll reads no other member of its caller.
const caller = { userId: USER, role: 400 } as Caller;

const logged = (position: number, type = 'saved_snippets') =>
  loggedEvent(position, { type, userIds: [USER] });

/**
 * A polling service whose organisation has no events yet; `found` replaces the search for them, and `transients` the absence
 * of transient events.
 */
function servicesWithoutEvents(
  found: Partial<QueueEvents> = {},
  transients: Partial<TransientAnswers> = {},
  chargeSize: (bytes: number) => Promise<void> = () => Promise.resolve(),
) {
  const window = new EventWindow(
    NO_EVENTS,
    new Map([['formless', { type: 'formless', formsOf: () => [] }]]),
  );
  const held = new HeldPolls(
    { sendTo: () => undefined } as unknown as EventFollower,
    new LogRestorations(),
    { onEnded: () => undefined } as unknown as QueueNotices,
  );
  const lastId = startIdAt(0);
  let ended = 0;
  // The fakes have the methods that a poll calls.
  const sut = new PollingService(
    {
      begin: () => Promise.resolve({ queue, lastId }),
      ownerOf: () => ({ userId: USER, isGuest: false, keyGeneration: 1 }),
      recordEnd: () => (ended += 1),
      chargeSize: (_poll: unknown, bytes: number) => chargeSize(bytes),
    } as unknown as QueuePolls,
    {
      inWindow: () => ({ events: [], window, position: 0, isPartial: false }),
      ...found,
    } as unknown as QueueEvents,
    held,
    {
      mayBeFor: () => false,
      listen: () => undefined,
      stop: () => undefined,
      ...transients,
    } as unknown as TransientAnswers,
    { startWaiting: () => true, take: () => [] } as unknown as RecentEphemeralEvents,
    new PollMetrics(held),
  );
  const poll = () =>
    sut.poll(caller, { queueId: 'q', lastEventId: -1, isImmediate: false }, () => undefined);
  return {
    poll,
    held,
    happens: (event: LoggedEvent) => {
      for (const added of window.add([event])) held.deliver(REALM, added);
    },
    endedCount: () => ended,
  };
}

const idsOf = (texts: readonly string[]): number[] =>
  texts.map((text) => (JSON.parse(text) as { id: number }).id);

const untilHeld = () => new Promise((resolve) => setImmediate(resolve));

describe(PollingService.name, () => {
  it('answers a poll with a heartbeat when the gateway stops', async () => {
    const { poll, held } = servicesWithoutEvents();
    const answer = poll();
    await untilHeld();
    held.endAll();
    expect(idsOf(await answer)).toEqual([startIdAt(0) + 1]);
  });

  it('answers with the events that it has gathered instead, because a heartbeat would acknowledge them', async () => {
    const { poll, held, happens } = servicesWithoutEvents();
    const answer = poll();
    await untilHeld();
    happens(logged(1));
    held.endAll();
    expect(idsOf(await answer)).toEqual([eventIdAt(1)]);
  });

  it('does not answer a poll because of an event that has no form for its queue', async () => {
    const { poll, held, happens } = servicesWithoutEvents();
    const answer = poll();
    await untilHeld();
    happens(logged(1, 'formless'));
    held.endAll();
    expect(await answer).toEqual([expect.stringContaining('heartbeat')]);
  });

  it.each([
    ['adds transient events to an answer', 999, false, 1000],
    [
      'adds none to a full answer, because their ids would acknowledge the events that it lacks',
      1000,
      false,
      1000,
    ],
    ['adds none to a partial answer, for the same reason', 2, true, 2],
  ])('%s', async (_, stored, isPartial, answered) => {
    const window = new EventWindow(NO_EVENTS, new Map());
    const events = window.add(Array.from({ length: stored }, (_event, index) => logged(index + 1)));
    const presence = { texts: ['{"type":"presence","id":1}'], cursor: null };
    const { poll } = servicesWithoutEvents(
      { inWindow: () => ({ events, window, position: stored, isPartial }) },
      { mayBeFor: () => true, textsFor: () => Promise.resolve(presence) },
    );
    const texts = await poll();
    expect(texts).toHaveLength(answered);
    expect(texts.slice(0, stored).every((text) => text.includes('saved_snippets'))).toBe(true);
  });

  it('refuses an answer that is too much for the limit of its account, and keeps its events', async () => {
    const window = new EventWindow(NO_EVENTS, new Map());
    const large = { ...logged(1), body: { text: 'x'.repeat(300_000) } };
    const events = window.add([large]);
    const found = { inWindow: () => ({ events, window, position: 1, isPartial: false }) };
    const charges: number[] = [];
    const refusal = new Error('Too many');
    const { poll, endedCount } = servicesWithoutEvents(found, {}, (bytes) => {
      charges.push(bytes);
      return Promise.reject(refusal);
    });
    await expect(poll()).rejects.toBe(refusal);
    expect(endedCount()).toBe(1);
    expect(charges).toEqual([expect.any(Number)]);
    expect(charges[0]).toBeGreaterThan(300_000);
  });

  const noWindow = { events: [] } as never;

  it.each<[string, Partial<QueueEvents>, RegExp]>([
    [
      'cannot be read',
      { inWindow: () => null, after: () => Promise.reject(new Error('PostgreSQL is down')) },
      /^PostgreSQL is down$/,
    ],
    // Defects, which the gateway must survive as well.
    [
      'are read without a window',
      { inWindow: () => null, after: () => Promise.resolve(noWindow) },
      /undefined/,
    ],
    ['are known without a window', { inWindow: () => noWindow }, /undefined/],
  ])('rejects and ends a poll whose events %s', async (_, found, message) => {
    const { poll, endedCount } = servicesWithoutEvents(found);
    await expect(poll()).rejects.toThrow(message);
    expect(endedCount()).toBe(1);
  });
});
