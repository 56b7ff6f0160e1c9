import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog, EventRepository } from '#events/log';
import { roles } from '#directory/roles';
import { addOrganisation, type Person } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { PlaygroundRepository } from './playground.repository.js';
import { PlaygroundEvents } from './playgrounds.events.js';

const PATH = '/realm/playgrounds';
const audience = { everyone: 'all' };

const system = useGateway();
let sut: PlaygroundEvents;

beforeAll(async () => {
  const log = new EventLog(new EventRepository(system.database.database));
  sut = new PlaygroundEvents(new PlaygroundRepository(), log);
});

const create = async ({ api }: Person, name: string): Promise<number> => {
  const url_template = 'https://play.test/?code={code}';
  const reply = await api.post(PATH, { name, pygments_language: 'Rust', url_template });
  return Number(reply.body['id']);
};
const shown = (id: number, name: string) => ({
  id,
  name,
  pygments_language: 'Rust',
  url_template: 'https://play.test/?code={code}',
});

describe(PlaygroundEvents.name, () => {
  it('stores all playgrounds with each change, and nothing with a refused one', async () => {
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const owner = await organisation.addPerson({ role: roles.owner });
    let [first, second] = [0, 0];
    const added = await recorded.during(async () => {
      first = await create(owner, 'First');
      second = await create(owner, 'Second');
      await create(owner, 'Second');
    });
    const list = [shown(first, 'First'), shown(second, 'Second')];
    expect(added).toEqual([
      { type: 'realm_playgrounds', body: { realm_playgrounds: list.slice(0, 1) }, audience },
      { type: 'realm_playgrounds', body: { realm_playgrounds: list }, audience },
    ]);
    expect(await recorded.stateOf(sut, owner)).toEqual({ realm_playgrounds: list });

    const removed = await recorded.during(async () => {
      await owner.api.delete(`${PATH}/${first}`);
      await owner.api.delete(`${PATH}/${first}`);
    });
    expect(removed).toEqual([
      { type: 'realm_playgrounds', body: { realm_playgrounds: list.slice(1) }, audience },
    ]);
  });

  it('stores the list of the last commit last', async () => {
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const owner = await organisation.addPerson({ role: roles.owner });
    const old = await Promise.all([1, 2, 3].map((number) => create(owner, `Old ${number}`)));
    const events = await recorded.during(() =>
      Promise.all([
        ...old.map((id) => owner.api.delete(`${PATH}/${id}`)),
        ...[1, 2, 3].map((number) => create(owner, `New ${number}`)),
      ]),
    );
    expect(events).toHaveLength(6);
    expect(events.at(-1)).toMatchObject({ body: await recorded.stateOf(sut, owner) });
  });
});
