import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '#test/seeded-random';
import { EventClient } from '#test/event-client';
import { addOrganisation } from '#test/organisation';
import { nowSeconds } from '#test/presence-realm';
import { useFixture } from '#test/use-fixture';
import {
  modern,
  presencesOf,
  report,
  startPresenceSystem,
  type Times,
} from './presence-events.fixture.js';

const system = useFixture(startPresenceSystem);

/** The greatest times that a client has seen of each user; throws Error if an answer has lower ones. */
class Watch {
  readonly #seen = new Map<string, { active: number; idle: number }>();
  #cursor = -1;

  add(source: string, presences: Times, cursor = this.#cursor): void {
    for (const [userId, entry] of Object.entries(presences)) {
      const { active, idle } = this.#seen.get(userId) ?? { active: 0, idle: 0 };
      if (entry.active_timestamp < active || entry.idle_timestamp < idle) {
        throw new Error(
          `${source} sets ${userId} back: ${JSON.stringify({ active, idle, entry })}`,
        );
      }
      this.#seen.set(userId, { active: entry.active_timestamp, idle: entry.idle_timestamp });
    }
    if (cursor < this.#cursor) throw new Error(`${source} sets the cursor back`);
    this.#cursor = cursor;
  }

  get cursor(): number {
    return this.#cursor;
  }

  activeUsers(): string[] {
    return [...this.#seen].filter(([, { active }]) => isOnline(active)).map(([userId]) => userId);
  }
}

const isOnline = (active: number): boolean => nowSeconds() - active <= 50;

describe('A client that polls presence and listens for events', () => {
  it.each([1, 2])('sees no time and no cursor run backwards, seed %i', async (seed) => {
    const random = new SeededRandom(seed);
    const organisation = await addOrganisation(system);
    const ann = await organisation.addPerson();
    const people = await organisation.addPeople(8);
    const client = await EventClient.register(ann.api, { ...modern, slim_presence: true });
    const watch = new Watch();
    watch.add('the state', client.state['presences'] as Times);
    const endsAt = performance.now() + 8000;
    const crowd = people.map(async (person) => {
      while (performance.now() < endsAt) {
        await pause(random.between(10, 900));
        await report(person, random.pick(['active', 'idle']));
      }
    });
    let events = 0;
    while (performance.now() < endsAt) {
      const chance = random.next();
      if (chance < 0.4) {
        const received = await client.take({ dont_block: true });
        events += received.length;
        watch.add('an event', presencesOf(received));
      } else {
        const cursor = chance < 0.7 ? -1 : watch.cursor;
        const fields = { status: 'active', last_update_id: cursor };
        const { body } = await ann.api.post('/users/me/presence', fields);
        watch.add('a poll', body['presences'] as Times, Number(body['presence_last_update_id']));
      }
    }
    await Promise.all(crowd);
    expect(events).toBeGreaterThan(0);
    expect(watch.activeUsers().length).toBeGreaterThan(people.length / 2);
  });
});
