import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccountCountingDatabase,
  createBesideManyAccounts,
  type DemoIds,
  MANY_ACCOUNTS,
} from '#test/other-organisation';
import { ChannelAudienceRepository } from './channel-audience.repository.js';
import { ChannelVisibilityRepository } from './channel-visibility.repository.js';

describe('Beside a large organisation, PostgreSQL reads few accounts for', () => {
  let world: Awaited<ReturnType<typeof createBesideManyAccounts>>;
  let database: AccountCountingDatabase;
  let demo: DemoIds;

  beforeAll(async () => {
    world = await createBesideManyAccounts();
    ({ database, demo } = world);
  });

  afterAll(() => world?.drop());

  it('the audience of a private channel', async () => {
    const read = await database.accountsReadFor((transaction) =>
      new ChannelAudienceRepository().of(transaction, demo.channelId),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });

  it('the audiences of the channels of a group', async () => {
    const read = await database.accountsReadFor((transaction) =>
      new ChannelVisibilityRepository().audiencesOf(transaction, demo.realmId, [demo.groupId]),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });
});
