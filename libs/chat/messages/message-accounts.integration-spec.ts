import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccountCountingDatabase,
  createBesideManyAccounts,
  type DemoIds,
  MANY_ACCOUNTS,
} from '#test/other-organisation';
import { MessageReadersRepository } from './changing/message-readers.repository.js';
import { MentionRepository } from './composing/mention.repository.js';
import { NarrowRepository } from './narrows/narrow.repository.js';
import { DestinationRepository } from './sending/destination.repository.js';

const EMAIL = 'somebody@example.com';

describe('Beside a large organisation, PostgreSQL reads few accounts for', () => {
  let world: Awaited<ReturnType<typeof createBesideManyAccounts>>;
  let database: AccountCountingDatabase;
  let demo: DemoIds;

  beforeAll(async () => {
    world = await createBesideManyAccounts();
    ({ database, demo } = world);
  });

  afterAll(() => world?.drop());

  it('the readers of a message', async () => {
    const read = await database.accountsReadFor((transaction) =>
      new MessageReadersRepository().of(transaction, [demo.messageId]),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });

  it('the members of a mentioned group', async () => {
    const read = await database.accountsReadFor(() =>
      new MentionRepository(database).membersOf([demo.groupId]),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });

  it('the accounts in a narrow', async () => {
    const read = await database.accountsReadFor(() =>
      new NarrowRepository(database).people(demo.realmId, [demo.userId], [EMAIL]),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });

  it('the recipients of a direct message', async () => {
    const read = await database.accountsReadFor(() =>
      new DestinationRepository(database).people(demo.realmId, { emails: [EMAIL] }),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });
});
