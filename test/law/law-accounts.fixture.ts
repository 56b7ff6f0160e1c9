import { isGuest, roles } from '#directory/roles';
import type { ReceivedEvent } from '#test/event-client';
import {
  drop,
  idsOf,
  joined,
  put,
  type Row,
  rowsOf,
  type State,
  type Viewer,
  without,
} from './law-state.fixture.js';

const lists = ['realm_users', 'realm_non_active_users'] as const;
type Person = Row & { readonly user_id: number };

/** Applies an event of the type `realm_user`. */
export function changeAccount(state: State, event: ReceivedEvent, viewer: Viewer): void {
  const person = event['person'] as Person;
  const { user_id: userId } = person;
  switch (event['op']) {
    case 'add':
      place(state, person);
      return;
    case 'remove':
      for (const list of lists) drop(state, list, userId, 'user_id');
      dropStatus(state, userId);
      return;
    case 'update': {
      update(state, person);
      if (person['is_active'] === false) {
        leaveGroups(state, userId);
        dropStatus(state, userId);
      }
      if (userId === viewer.userId) updateOwn(state, person);
      return;
    }
    default:
      throw new Error(`Unknown change of an account: ${String(event['op'])}`);
  }
}

function place(state: State, { is_active: isActive, ...account }: Person): void {
  const { user_id: userId } = account as Person;
  for (const list of lists) drop(state, list, userId, 'user_id');
  put(state, isActive === false ? 'realm_non_active_users' : 'realm_users', account, 'user_id');
}

function update(state: State, { custom_profile_field, new_email, ...changed }: Person & Row): void {
  for (const list of lists) {
    const known = rowsOf(state, list).find((one) => one['user_id'] === changed.user_id);
    if (known === undefined) continue;
    // The medium picture is a member of the own account only.
    const { avatar_url_medium: _medium, avatar_source: _source, ...values } = changed as Row;
    const email = new_email === undefined ? {} : { email: new_email };
    const account = { ...known, ...values, ...email, ...flagsOf(values['role']) };
    const isActive = values['is_active'] ?? list === 'realm_users';
    place(
      state,
      withValue({ ...account, is_active: isActive }, custom_profile_field as Row) as Person,
    );
    return;
  }
}

const flagsOf = (role: unknown): Row =>
  typeof role === 'number'
    ? {
        is_admin: role <= roles.administrator,
        is_owner: role === roles.owner,
        is_guest: isGuest(role),
      }
    : {};

function withValue(account: Row, field: Row | undefined): Row {
  if (field === undefined) return account;
  const { id, ...value } = field;
  const { [String(id)]: _old, ...others } = (account['profile_data'] ?? {}) as Row;
  const profile_data = value['value'] === null ? others : { ...others, [String(id)]: value };
  return { ...account, profile_data };
}

/** The members of the own account in the state. */
function updateOwn(
  state: State,
  { custom_profile_field: _field, user_id: _id, ...changed }: Row,
): void {
  for (const [name, value] of Object.entries(changed)) if (name in state) state[name] = value;
  const { role } = changed;
  if (typeof role !== 'number' || !('is_admin' in state)) return;
  Object.assign(state, flagsOf(role), {
    is_moderator: role <= roles.moderator,
    can_create_public_streams: !isGuest(role),
    can_create_private_streams: !isGuest(role),
  });
}

/** Clients show no status of an account that they do not know, or that is deactivated. */
function dropStatus(state: State, userId: number): void {
  if ('user_status' in state) delete (state['user_status'] as Row)[String(userId)];
}

/** Clients remove deactivated accounts from groups without an event. */
function leaveGroups(state: State, userId: number): void {
  for (const group of rowsOf(state, 'realm_user_groups')) {
    group['members'] = without(idsOf(group['members']), [userId]);
  }
}

/** Applies an event of the type `user_group`. */
export function changeGroup(state: State, event: ReceivedEvent): void {
  const { op, group_id: groupId } = event;
  if (op === 'add') return put(state, 'realm_user_groups', event['group'] as Row);
  if (op === 'remove') return drop(state, 'realm_user_groups', groupId);
  const group = rowsOf(state, 'realm_user_groups').find(({ id }) => id === groupId);
  if (group === undefined) throw new Error(`A change of an unknown group ${String(groupId)}`);
  if (op === 'update') {
    Object.assign(group, event['data']);
    return;
  }
  const [verb, list] = String(op).split('_');
  const member = list === 'members' ? 'members' : 'direct_subgroup_ids';
  const ids = idsOf(event[list === 'members' ? 'user_ids' : 'direct_subgroup_ids']);
  const known = idsOf(group[member]);
  if (verb !== 'add' && verb !== 'remove')
    throw new Error(`Unknown change of a group: ${String(op)}`);
  group[member] = verb === 'add' ? joined(known, ids) : without(known, ids);
}

/** Applies an event of the type `realm_bot`. */
export function changeBot(state: State, { op, bot }: ReceivedEvent): void {
  const row = bot as Row;
  if (op === 'add') put(state, 'realm_bots', row, 'user_id');
  else if (op === 'delete' || op === 'remove') drop(state, 'realm_bots', row['user_id'], 'user_id');
  else {
    const known = rowsOf(state, 'realm_bots').find((one) => one['user_id'] === row['user_id']);
    if (known === undefined) throw new Error('A change of an unknown bot');
    Object.assign(known, row);
  }
}

/** Applies an event of the type `custom_profile_fields`: clients remove the values of deleted fields. */
export function changeProfileFields(state: State, { fields }: ReceivedEvent): void {
  if ('custom_profile_fields' in state) state['custom_profile_fields'] = fields;
  const ids = new Set((fields as Row[]).map(({ id }) => String(id)));
  for (const account of lists.flatMap((list) => rowsOf(state, list))) {
    if (account['profile_data'] === undefined) continue;
    const kept = Object.entries(account['profile_data'] as Row).filter(([id]) => ids.has(id));
    account['profile_data'] = Object.fromEntries(kept);
  }
}

/** Applies an event of the type `user_status`. */
export function changeStatus(state: State, event: ReceivedEvent): void {
  const { id: _id, type: _type, user_id: userId, ...changed } = event;
  const statuses = state['user_status'] as Record<string, Row> | undefined;
  if (statuses === undefined) return;
  const all = { ...statuses[String(userId)], ...changed };
  const hasEmoji = (all as Row)['emoji_name'] !== undefined && (all as Row)['emoji_name'] !== '';
  const kept = Object.entries(all).filter(
    ([name, value]) =>
      value !== '' &&
      value !== false &&
      (hasEmoji || !['emoji_code', 'reaction_type'].includes(name)),
  );
  if (kept.length === 0) delete statuses[String(userId)];
  else statuses[String(userId)] = Object.fromEntries(kept);
}
