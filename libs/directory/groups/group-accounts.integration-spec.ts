import { itReadsFewAccountsFor } from '#test/other-organisation';
import { AccountGroupsRepository } from './account-groups.repository.js';
import { GroupMemberRepository } from './group-member.repository.js';
import { GroupMembershipRepository } from './group-membership.repository.js';
import { UserGroupRepository } from './user-group.repository.js';

itReadsFewAccountsFor({
  'the groups of an account': (database, { userId }) =>
    new GroupMembershipRepository(database).groupsOf(userId),
  'the groups that name accounts': (database, { realmId, userId }) =>
    new AccountGroupsRepository(database).groupsOf(realmId, [userId]),
  'the members of a group': (database, { realmId, groupId }) =>
    new GroupMemberRepository(database).membersOf({
      realmId,
      groupIds: [groupId],
      isDirectOnly: false,
    }),
  'the groups of an organisation': (database, { realmId }) =>
    new UserGroupRepository(database).list(realmId, true),
});
