import { describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();

describe('The options of a queue', () => {
  it.each([
    [{ event_types: ['\u{d800}'] }, { eventTypes: ['\u{fffd}'] }],
    [{ narrow: [['topic', 'a\u{d800}']] }, { narrow: [['topic', 'a\u{fffd}']] }],
  ])('may have an unpaired surrogate: %j', async (fields, stored) => {
    const person = await (await addOrganisation(system)).addPerson();
    const reply = await person.api.post('/register', { fetch_event_types: [], ...fields });
    expect(reply).toMatchObject(success);
    const [queue] = await system.database.database.prisma.eventQueue.findMany({
      where: { userId: person.id },
    });
    expect(queue?.options).toMatchObject(stored);
  });
});
