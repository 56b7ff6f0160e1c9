import { roles } from '#directory/roles';

/**
 * The demo organisation as data. `npm start` creates it, and docs, scripts and tests rely on it. Everything is inserted
 * in this order, so that the ids are the same in each fresh database.
 */

export type DemoRole = 'owner' | 'admin' | 'moderator' | 'member' | 'guest';

/** The role names of demo.json, and their numbers in the API. */
export const demoRoles: Readonly<Record<DemoRole, number>> = {
  owner: roles.owner,
  admin: roles.administrator,
  moderator: roles.moderator,
  member: roles.member,
  guest: roles.guest,
};

export const demoRealm = {
  /** The empty subdomain is the root organisation. */
  subdomain: '',
  name: 'Carillon Demo',
  description: 'The team that builds **Carillon**.',
  canCreateUsersGroup: 'can_create_users',
  moderationChannel: 'moderation',
} as const;

/** The creation time of accounts, channels and groups; constant, so that every fresh database has the same. */
export const demoFoundedAt = new Date('2026-01-05T09:00:00Z');

interface DemoUser {
  readonly name: string;
  readonly fullName: string;
  readonly role: DemoRole;
  /** Only for a bot: the name of the account of its owner. */
  readonly botOwner?: string;
  readonly isActive?: false;
  readonly isPresenceEnabled?: false;
}

/** A bot must follow its owner, because its row contains the id of the owner. */
export const demoUsers: readonly DemoUser[] = [
  { name: 'owner', fullName: 'Olivia Owens', role: 'owner' },
  { name: 'admin', fullName: 'Adam Winter', role: 'admin' },
  { name: 'moderator', fullName: 'Mona Reyes', role: 'moderator' },
  { name: 'alice', fullName: 'Alice Hart', role: 'member' },
  { name: 'bob', fullName: 'Bob Fischer', role: 'member' },
  { name: 'carol', fullName: 'Carol Nakamura', role: 'member', isPresenceEnabled: false },
  { name: 'guest', fullName: 'Gus Lindqvist', role: 'guest' },
  { name: 'alice_bot', fullName: "Alice's Helper", role: 'member', botOwner: 'alice' },
  { name: 'admin_bot', fullName: 'Office Bot', role: 'admin', botOwner: 'admin' },
  { name: 'dora', fullName: 'Dora Petrova', role: 'member', isActive: false },
];

export const demoEmail = (name: string): string =>
  `${name.replaceAll('_', '-')}@demo.carillon.test`;

/** Public passwords for demonstrations and tests. Never use them in a real organisation. */
export const demoPassword = (name: string): string => `${name}-demo-password`;

interface DemoChannel {
  readonly name: string;
  readonly description: string;
  readonly creator: string;
  readonly kind: 'public' | 'private' | 'web-public';
  readonly isDefault?: true;
  readonly isArchived?: true;
  readonly subscribers: readonly string[];
}

export const demoChannels: readonly DemoChannel[] = [
  {
    name: 'general',
    description: 'What concerns everybody.',
    creator: 'owner',
    kind: 'public',
    isDefault: true,
    subscribers: demoUsers.map(({ name }) => name).filter((name) => !/^(?:dora|carol)$/.test(name)),
  },
  {
    name: 'design',
    description: 'Drafts that are not ready to be seen.',
    creator: 'alice',
    kind: 'private',
    subscribers: ['alice', 'bob'],
  },
  {
    name: 'news',
    description: 'Announcements, open to the web.',
    creator: 'owner',
    kind: 'web-public',
    isDefault: true,
    subscribers: [],
  },
  {
    name: 'empty',
    description: 'Nobody has said anything here yet.',
    creator: 'alice',
    kind: 'public',
    subscribers: ['alice'],
  },
  {
    name: 'archive',
    description: 'Last year’s plans.',
    creator: 'admin',
    kind: 'public',
    isArchived: true,
    subscribers: [],
  },
  {
    name: 'moderation',
    description: 'Where reports about messages arrive.',
    creator: 'admin',
    kind: 'private',
    subscribers: ['owner', 'admin', 'moderator', 'admin_bot'],
  },
];

interface DemoGroup {
  readonly name: string;
  readonly description: string;
  /** The creator may also change it. */
  readonly creator: string;
  readonly isDeactivated?: true;
  readonly members: readonly string[];
  readonly subgroups: readonly string[];
}

/** In addition to the system groups of every organisation. */
export const demoGroups: readonly DemoGroup[] = [
  {
    name: 'mobile',
    description: 'Builds the phone apps.',
    creator: 'admin',
    members: ['alice', 'bob'],
    subgroups: ['backend'],
  },
  {
    name: 'backend',
    description: 'Builds what the phone apps talk to.',
    creator: 'admin',
    members: ['bob'],
    subgroups: [],
  },
  {
    name: 'retired',
    description: 'A project that is over.',
    creator: 'admin',
    isDeactivated: true,
    members: [],
    subgroups: [],
  },
  {
    name: demoRealm.canCreateUsersGroup,
    description: 'May create accounts.',
    creator: 'admin',
    members: ['admin', 'admin_bot'],
    subgroups: [],
  },
];

/** The target of a message: a topic of a channel, or a direct conversation. */
type DemoPlace =
  { readonly channel: string; readonly topic: string } | { readonly people: readonly string[] };

interface DemoMessage {
  readonly name: string;
  readonly sender: string;
  readonly place: DemoPlace;
  readonly content: string;
}

/** In ascending order of time, and unread for all recipients except the sender. */
export const demoMessages: readonly DemoMessage[] = [
  {
    name: 'general_1',
    sender: 'bob',
    place: { channel: 'general', topic: 'welcome' },
    content: 'Good morning! The new build for the phones is out.',
  },
  {
    name: 'general_2',
    sender: 'bob',
    place: { channel: 'general', topic: 'welcome' },
    content: 'Tell me here when notifications arrive twice, or not at all.',
  },
  {
    name: 'design_1',
    sender: 'bob',
    place: { channel: 'design', topic: 'lock screen' },
    content: 'A first draft of the lock screen is in the shared folder.',
  },
  {
    name: 'dm_1',
    sender: 'bob',
    place: { people: ['alice', 'bob'] },
    content: 'Do you have a minute before lunch?',
  },
];

interface DemoSnippet {
  readonly name: string;
  readonly owner: string;
  readonly title: string;
  readonly content: string;
}

export const demoSnippets: readonly DemoSnippet[] = [
  {
    name: 'alice_1',
    owner: 'alice',
    title: 'Release checklist',
    content: '- [ ] changelog\n- [ ] screenshots\n- [ ] a note in **#general**',
  },
];
