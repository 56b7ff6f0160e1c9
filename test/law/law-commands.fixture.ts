import { anyGroup, type Choice, owner, someUsers } from './law-values.fixture.js';
import type { LawWorld } from './law-world.fixture.js';

const roleNames = ['moderator', 'member', 'guest'];

const holders = (choice: Choice): string =>
  choice.random.next() < 0.5
    ? String(anyGroup(choice))
    : JSON.stringify({ direct_members: someUsers(choice), direct_subgroups: [anyGroup(choice)] });

const oneOf =
  (...values: readonly string[]) =>
  ({ random }: Choice): string =>
    random.pick(values);

/** Values of settings. The members of the full members are no part of the law: they change with time alone. */
const settings: readonly (readonly [string, (choice: Choice) => string])[] = [
  ['can_access_all_users_group', holders],
  ['can_access_all_users_group', oneOf('role:everyone', 'role:members')],
  ['can_add_subscribers_group', holders],
  ['can_add_subscribers_group', oneOf('role:members', 'role:moderators')],
  ['can_create_users_group', oneOf('role:administrators', 'role:moderators')],
  ['can_delete_any_message_group', holders],
  ['can_delete_any_message_group', oneOf('role:administrators', 'role:nobody')],
  ['can_manage_all_groups', oneOf('role:owners', 'role:administrators')],
  ['description', ({ world }) => world.unique('We build')],
  ['name', ({ world }) => world.unique('Firm')],
  ['topics_policy', oneOf('allow_empty_topic', 'disable_empty_topic')],
  ['upload_quota_mib', oneOf('null', '5000', '6000')],
];

/** The arguments of the commands of operators that change the state of clients, by name. */
export const commands: Readonly<Record<string, (choice: Choice) => readonly string[]>> = {
  'carillon user create': ({ world, random }) => {
    const options = ['-o', world.subdomain, '--role', random.pick(roleNames)];
    return ['user', 'create', newAddress(world), '-n', world.unique('Operated'), ...options];
  },
  'carillon bot create': ({ world }) => {
    const options = ['--owner', String(owner(world).person.id)];
    return ['bot', 'create', newAddress(world), '-n', world.unique('Operated bot'), ...options];
  },
  'carillon organisation require-encryption': ({ world, random }) => {
    const setting = random.pick(['on', 'off']);
    return ['organisation', 'require-encryption', world.subdomain, setting];
  },
  'carillon organisation set': (choice) => {
    const [name, value] = choice.random.pick(settings);
    return ['organisation', 'set', choice.world.subdomain, name, value(choice)];
  },
  'carillon web-push-keys add': () => ['web-push-keys', 'add'],
};

const newAddress = (world: LawWorld): string =>
  `${world.unique('operated').replace(' ', '')}@chat.test`;
