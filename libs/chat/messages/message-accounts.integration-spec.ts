import { itReadsFewAccountsFor } from '#test/other-organisation';
import { MessageReadersRepository } from './changing/message-readers.repository.js';
import { MentionRepository } from './composing/mention.repository.js';
import { NarrowRepository } from './narrows/narrow.repository.js';
import { DestinationRepository } from './sending/destination.repository.js';

const EMAIL = 'somebody@example.com';

itReadsFewAccountsFor({
  'the readers of a message': (_, { messageId }, transaction) =>
    new MessageReadersRepository().of(transaction, [messageId]),
  'the members of a mentioned group': (database, { groupId }) =>
    new MentionRepository(database).membersOf([groupId]),
  'the accounts in a narrow': (database, { realmId, userId }) =>
    new NarrowRepository(database).people(realmId, [userId], [EMAIL]),
  'the recipients of a direct message': (database, { realmId }) =>
    new DestinationRepository(database).people(realmId, { emails: [EMAIL] }),
});
