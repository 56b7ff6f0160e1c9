import { beforeAll, describe, expect, it } from '@jest/globals';
import { addMessagesWithOneRow } from '#test/rows-read';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { EditedContentRepository } from './edited-content.repository.js';

const database = usePlannedDatabase();

beforeAll(() => addMessagesWithOneRow(database, 'one reader'));

describe(EditedContentRepository.name, () => {
  it('compares no reader of a message with others when it sets mentions', async () => {
    const sut = new EditedContentRepository();
    const nobody = { mentionedUserIds: [], alertedUserIds: [], mentionedParticipantIds: [] };
    const concerned = { ...nobody, mentionsEveryone: true };
    await database.transaction(async (transaction) => {
      for (let time = 0; time < PLANNED_TIMES; time += 1)
        await sut.setMentions(transaction, 0, concerned);
    });
    const plan = await planOf(database, 'set_mentions', `1, '{}', true, '{}', '{}'`);
    expect(plan).toContain('user_messages_message_id_idx');
    expect(plan).not.toMatch(/Nested Loop|Join/);
  });
});
