import { itReadsFewAccountsFor } from '#test/other-organisation';
import { VisibleUsersRepository } from './visible-users.repository.js';

itReadsFewAccountsFor({
  'the accounts that a guest sees': (database, { realmId, guestId }) =>
    new VisibleUsersRepository(database).visibleTo({ realmId, userId: guestId }),
  'the accounts that a guest does not see': (database, { userId, guestId }) =>
    new VisibleUsersRepository(database).hiddenAmong([{ viewerId: guestId, otherId: userId }]),
  'the guests that do not see an account': (database, { realmId, userId }) =>
    new VisibleUsersRepository(database).guestsNotSeeing(realmId, [userId]),
  'the guests that see everyone': (database, { realmId, groupId }) =>
    new VisibleUsersRepository(database).guestsSeeingAllVia(realmId, groupId, database),
});
