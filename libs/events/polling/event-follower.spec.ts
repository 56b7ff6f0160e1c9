import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { DiscoveryService } from '@nestjs/core';
import { type EventRepository, type LoggedEvent, NO_EVENTS } from '#events/log';
import type { PubSub } from '#platform/redis';
import { EventFollower } from './event-follower.js';
import type { KnownHeads } from './known-heads.js';
import { loggedEvent } from './logged-event.fixture.js';

const REALM = 7;
/** Longer than a time slice. */
const SLOW_MS = 10;

/** An event whose JSON takes long to make, as that of a large message does. */
function slowEvent(position: number): LoggedEvent {
  const toJSON = () => {
    const endsAt = performance.now() + SLOW_MS;
    while (performance.now() < endsAt);
    return {};
  };
  return loggedEvent(position, { body: { toJSON } });
}

/** A follower of an organisation with these events. The fakes have the methods that are called. */
const followerOf = (events: readonly LoggedEvent[]) =>
  new EventFollower(
    {
      after: (_realmId: number, { position }: { readonly position: number }) =>
        Promise.resolve(events.filter((event) => event.position > position)),
    } as unknown as EventRepository,
    {} as DiscoveryService,
    {} as PubSub,
    { firstHeadOf: () => Promise.resolve(NO_EVENTS) } as unknown as KnownHeads,
  );

describe(EventFollower.name, () => {
  it('gives its receiver every event of the window before other work runs, because the answer of a poll acknowledges them', async () => {
    const sut = followerOf([1, 2, 3].map(slowEvent));
    let received = 0;
    const answered: number[] = [];
    sut.sendTo({
      deliver: (_realmId, { position }) => (received = position),
      answerWoken: () => answered.push(received),
    });
    const window = await sut.windowOf(REALM);
    const state = { isReading: true };
    const reading = sut.refresh(REALM).finally(() => (state.isReading = false));
    const turns = new Set<number>();
    while (state.isReading) {
      expect(received).toBe(window.headPosition);
      turns.add(received);
      await nextTurn();
    }
    await reading;
    expect(turns.size).toBeGreaterThan(2);
    expect(answered).toEqual([3]);
  });
});
