import { anyBot, anyGroup, type EndpointNotes, owner, someUsers } from './law-values.fixture.js';

const noPermissions = {
  can_add_members_group: undefined,
  can_join_group: undefined,
  can_leave_group: undefined,
  can_manage_group: undefined,
  can_mention_group: undefined,
  can_remove_members_group: undefined,
};

/** The notes of endpoints of groups, of accounts of others, of alert words and of bots. */
export const groupNotes: Readonly<Record<string, EndpointNotes>> = {
  'POST /user_groups/create': {
    weight: 0.5,
    fields: (choice) => ({
      name: choice.world.unique('Group'),
      members: someUsers(choice),
      subgroups: choice.random.next() < 0.5 ? [anyGroup(choice)] : [],
      ...noPermissions,
    }),
  },
  'PATCH /user_groups/{user_group_id}': {
    actor: owner,
    fields: (choice) => ({
      user_group_id: anyGroup(choice),
      name: choice.random.next() < 0.5 ? choice.world.unique('Group') : undefined,
      ...noPermissions,
      can_mention_group: { new: { direct_members: someUsers(choice), direct_subgroups: [] } },
      deactivated: choice.random.next() < 0.5 ? false : undefined,
    }),
  },
  'POST /user_groups/{user_group_id}/members': {
    weight: 2,
    actor: owner,
    fields: (choice) => ({
      user_group_id: anyGroup(choice),
      add: choice.random.next() < 0.6 ? someUsers(choice).slice(0, 1) : [],
      delete: choice.random.next() < 0.4 ? someUsers(choice).slice(0, 1) : [],
      add_subgroups: undefined,
      delete_subgroups: undefined,
    }),
  },
  'POST /user_groups/{user_group_id}/deactivate': { weight: 0.5, actor: owner },
  'PATCH /users/{user_id}': {
    weight: 0.5,
    actor: owner,
    fields: ({ world, random }) => {
      const { id } = random.pick(world.existing.users);
      // The test knows the roles of the accounts that send requests.
      const isActor = world.actors.some(({ person }) => person.id === id);
      return {
        user_id: id,
        full_name: world.unique('Name'),
        role: isActor ? undefined : random.pick([200, 300, 400, 600]),
        profile_data: undefined,
      };
    },
  },
  'POST /users/me/alert_words': {
    fields: ({ world }) => ({ alert_words: [world.unique('word')] }),
  },
  'PUT /bot_storage': { actor: anyBot, fields: () => ({ storage: { key: 'value' } }) },
  'DELETE /bot_storage': { actor: anyBot, fields: () => ({ keys: undefined }) },
};
