import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#platform/contracts';
import { success } from '#test/answers';
import { EventClient, eventsOf } from '#test/event-client';
import { freePorts } from '#test/free-ports';
import { holdPolls } from '#test/held-polls';
import { addOrganisation } from '#test/organisation';
import { startSystem, type System } from '#test/start-system';
import { ThrowawayRedis } from '#test/throwaway-redis';

const BAD_QUEUE = { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } };

let redis: ThrowawayRedis;
let system: System;
/** A gateway whose messages over Redis no other one gets, as if it died after each commit. */
let silentUrl: string;
let metricsPort: string;

beforeAll(async () => {
  redis = await ThrowawayRedis.start();
  const [own = '', other = ''] = (await freePorts(2)).map(String);
  metricsPort = own;
  system = await startSystem({
    programs: ['api-gateway'],
    environment: { GATEWAY_METRICS_PORT: metricsPort },
  });
  silentUrl = await system.startGateway({ REDIS_URL: redis.url, GATEWAY_METRICS_PORT: other });
});

afterAll(async () => {
  await system?.stop();
  await redis?.remove();
});

describe('A queue that is deleted with a change of the role', () => {
  it('ends at gateways that do not learn of it from Redis, and a later one does not', async () => {
    const organisation = await addOrganisation(system);
    const owner = await organisation.addPerson({ role: roles.owner });
    const person = await organisation.addPerson();
    const [waiting, other] = [
      await EventClient.register(person.api),
      await EventClient.register(person.api, { event_types: ['saved_snippets'] }),
    ];
    expect(await other.poll({ dont_block: true })).toMatchObject(success);
    const held = await holdPolls(metricsPort, () => waiting.poll());

    const change = { role: roles.guest };
    const reply = await system.api(owner, silentUrl).patch(`/users/${person.id}`, change);
    expect(reply).toMatchObject(success);

    expect(await held.answer).toMatchObject(success);
    expect(await waiting.poll()).toMatchObject(BAD_QUEUE);
    expect(await other.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
    const later = await EventClient.register(person.api);
    expect(eventsOf(await later.poll({ dont_block: true }))).toEqual([]);
  });
});
