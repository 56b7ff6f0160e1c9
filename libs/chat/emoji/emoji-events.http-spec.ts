import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog, EventRepository } from '#events/log';
import { addOrganisation } from '#test/organisation';
import { optionsWith } from '#test/queue-options';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { filePart, gif, multipart } from '#test/uploads-multipart';
import { EmojiEvents } from './emoji.events.js';
import { RealmEmojiRepository } from './realm-emoji.repository.js';

const audience = { everyone: 'all' };

const system = useGateway();
let sut: EmojiEvents;

beforeAll(async () => {
  const { database } = system.database;
  sut = new EmojiEvents(
    new RealmEmojiRepository(database),
    new EventLog(new EventRepository(database)),
  );
});

describe(EmojiEvents.name, () => {
  it('stores each change with the list after it, and nothing with a refused one', async () => {
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const { id: author_id, api } = await organisation.addPerson();
    const add = (name: string) =>
      api.send('POST', `/realm/emoji/${name}`, multipart(filePart('picture.gif', gif)));
    const before = await recorded.stateOf(sut, { id: author_id });
    expect(before).toEqual({ realm_emoji: {} });

    const added = await recorded.during(async () => {
      await add('mascot');
      await add('mascot');
    });
    const state = await recorded.stateOf(sut, { id: author_id });
    const [emoji] = Object.values(state['realm_emoji'] ?? {});
    expect(emoji).toEqual({
      id: expect.any(String),
      name: 'mascot',
      source_url: expect.stringContaining('.gif'),
      still_url: null,
      deactivated: false,
      author_id,
    });
    expect(added).toEqual([
      { type: 'realm_emoji', body: { op: 'add', emoji, ...state }, audience },
    ]);

    const deactivated = await recorded.during(async () => {
      await api.delete('/realm/emoji/mascot');
      await api.delete('/realm/emoji/mascot');
    });
    const after = await recorded.stateOf(sut, { id: author_id });
    const emoji_id = Object.keys(state['realm_emoji'] ?? {})[0];
    const body = { op: 'update_one', emoji_id, data: { deactivated: true }, ...after };
    expect(deactivated).toEqual([{ type: 'realm_emoji', body, audience }]);
    expect(after).toMatchObject({ realm_emoji: { [String(emoji_id)]: { deactivated: true } } });
  });

  it('gives a client single changes, or the whole list', () => {
    const body = { op: 'add', emoji: { id: '1' }, realm_emoji: { '1': { id: '1' } } };
    const [type] = sut.types;
    expect(type?.formsOf(body, optionsWith('individual_emoji_changes'))).toEqual([
      { op: 'add', emoji: { id: '1' } },
    ]);
    expect(type?.formsOf(body, optionsWith())).toEqual([
      { op: 'update', realm_emoji: { '1': { id: '1' } } },
    ]);
  });
});
