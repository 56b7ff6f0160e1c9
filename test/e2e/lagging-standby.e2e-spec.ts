import { describe, expect, it, jest } from '@jest/globals';
import { EventClient, type ReceivedEvent } from '#test/event-client';
import { eventually } from '#test/eventually';
import { addOrganisation } from '#test/organisation';
import { PostgresPair } from '#test/postgres-pair';
import { useFixture } from '#test/use-fixture';
import { useSystem } from '#test/use-system';

jest.setTimeout(240_000);

const LOST = 3;
/** More than were lost: the positions of all lost events are used again. */
const AGAIN = 6;
/** Gateways compare their newest events with PostgreSQL each second. */
const NOTICED_MS = 10_000;

const pair = useFixture(() => PostgresPair.start());
const system = useSystem(() => ({
  programs: ['api-gateway'],
  database: pair.open(),
  environment: { RATE_LIMIT_EVENT_QUEUE: '60:100000' },
}));
const person = useFixture(async () => (await addOrganisation(system)).addPerson());

const register = () => EventClient.register(person.api, { event_types: ['saved_snippets'] });

const save = async (title: string): Promise<number> =>
  (await person.api.post('/saved_snippets', { title, content: 'x' })).status;

async function saveInTime(title: string): Promise<void> {
  await eventually(async () => expect(await save(title)).toBe(200), 60_000);
}

const titles = (events: readonly ReceivedEvent[]): unknown[] =>
  events.map((event) => (event['saved_snippet'] as { title: string }).title);

describe('A primary whose standby lags, and becomes the primary', () => {
  it('ends the queues whose events were lost; no client goes on with later events only', async () => {
    const client = await register();
    await save('replicated');
    await pair.fallBehind();
    for (let count = 0; count < LOST; count += 1) expect(await save(`lost ${count}`)).toBe(200);
    expect(titles(await client.drain())).toHaveLength(1 + LOST);
    const held = client.poll();
    await pair.crashPrimary();
    await pair.promote();
    for (let count = 0; count < AGAIN; count += 1) await saveInTime(`again ${count}`);
    // If it began after the crash, it is refused with 503.
    expect((await held).body['events'] ?? []).toEqual([]);
    await eventually(async () => {
      const reply = await client.poll({ dont_block: true });
      expect(reply.body['events'] ?? []).toEqual([]);
      expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } });
    }, NOTICED_MS);
    const fresh = await register();
    const stored = await person.api.get('/saved_snippets');
    expect(stored.body['saved_snippets']).toHaveLength(1 + AGAIN);
    await save('afterwards');
    expect(titles(await fresh.drain())).toEqual(['afterwards']);
  });
});
