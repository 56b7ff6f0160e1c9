import { type Actor, type DemoApi, granted, type Person, refused } from './demo-api.js';
import { send } from './messages.js';
import { DemoMismatch, type DemoPrinter } from './demo-printer.js';

const OWN_STATUS = ['POST', '/users/me/status'] as const;
const TEXT = 'on the train';
const EMOJI = 'train';

/** A user sets a status, another user sees it, and the status is removed. */
export async function showStatus(
  api: DemoApi,
  printer: DemoPrinter,
  { owner, watcher }: { readonly owner: Person; readonly watcher: Actor },
): Promise<void> {
  printer.section(
    `${owner.name} sets a status`,
    'An emoji is set by its name. Other users also get its code, with which an app displays it.',
  );
  const fields = { status_text: TEXT, emoji_name: EMOJI };
  await api.call(owner, OWN_STATUS, fields, granted('The status is taken'));
  const status = await statusOf(api, watcher, owner);
  if (status['status_text'] !== TEXT || status['emoji_name'] !== EMOJI) {
    throw new DemoMismatch(
      `${watcher.name} gets ${JSON.stringify(fields)}`,
      JSON.stringify(status),
    );
  }
  printer.screen(`On ${watcher.name}’s screen`, [
    `${owner.fullName}  ${drawn(status['emoji_code'])} ${TEXT}`,
  ]);
  printer.seen(`${watcher.name} sees it.`);

  printer.section(`${owner.name} removes the status`, 'Empty texts remove it.');
  const nothing = { status_text: '', emoji_name: '' };
  await api.call(owner, OWN_STATUS, nothing, granted('The status can be removed'));
  const left = await statusOf(api, watcher, owner);
  if ('status_text' in left || 'emoji_name' in left) {
    throw new DemoMismatch('No status is left', JSON.stringify(left));
  }
  printer.seen('No status is left.');
}

async function statusOf(
  api: DemoApi,
  watcher: Actor,
  { userId, name }: Person,
): Promise<Readonly<Record<string, unknown>>> {
  const route = ['GET', `/users/${userId}/status`] as const;
  const expected = granted(`The status of ${name} can be read`);
  const body = await api.call(watcher, route, {}, expected);
  // The contract's format: an object whose members are left out when they are not set.
  return body['status'] as Readonly<Record<string, unknown>>;
}

/** The code of a Unicode emoji is its code points in hexadecimal, joined by dashes. */
const drawn = (code: unknown): string =>
  String.fromCodePoint(
    ...String(code)
      .split('-')
      .map((point) => Number.parseInt(point, 16)),
  );

const INNER = 'backend';
const OUTER = 'mobile';

/** The used members of a group. */
interface Group {
  readonly id: number;
  readonly name: string;
  readonly is_system_group: boolean;
  readonly members: readonly number[];
  readonly direct_subgroup_ids: readonly number[];
}

/** The groups of the organisation, and the rejection of a cycle of groups. */
export async function showGroups(
  api: DemoApi,
  printer: DemoPrinter,
  { member, admin }: { readonly member: Actor; readonly admin: Actor },
): Promise<void> {
  printer.section(
    'User groups',
    'System groups begin with "role:" and depend on roles. Users create the other groups, and a group\n' +
      'can contain other groups.',
  );
  const expected = granted('The groups can be listed');
  const body = await api.call(member, ['GET', '/user_groups'], {}, expected);
  // The contract's format of a group.
  const groups = body['user_groups'] as readonly Group[];
  printer.screen(`On ${member.name}’s screen, ${groups.length} groups`, linesOf(groups));
  const [inner, outer] = [groupNamed(groups, INNER), groupNamed(groups, OUTER)];
  if (!outer.direct_subgroup_ids.includes(inner.id)) {
    throw new DemoMismatch(`The group ${INNER} lies in ${OUTER}`, JSON.stringify(outer));
  }
  printer.seen(`${INNER} is in ${OUTER}.`);

  printer.section(
    'Groups cannot form a cycle',
    `${admin.name} tries to put ${OUTER} into ${INNER}, which is in ${OUTER}.`,
  );
  const msg = `User group ${inner.id} is already a subgroup of one of the passed subgroups.`;
  await api.call(
    admin,
    ['POST', `/user_groups/${inner.id}/subgroups`],
    { add: `[${outer.id}]` },
    refused(400, msg, 'The circle is refused'),
  );
  printer.seen('The cycle is refused, and nothing has changed.');
}

function linesOf(groups: readonly Group[]): string[] {
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  return groups.map(({ name, members, direct_subgroup_ids: subgroups }) => {
    const inside = subgroups.map((id) => names.get(id) ?? `group ${id}`);
    const count = members.length === 1 ? '1 account' : `${members.length} accounts`;
    return `${name}: ${[count, ...inside].join(' + ')}`;
  });
}

function groupNamed(groups: readonly Group[], name: string): Group {
  const group = groups.find((one) => one.name === name);
  if (group !== undefined) return group;
  const seen = groups.map((one) => one.name).join(', ');
  throw new DemoMismatch(`There is a group ${name}`, seen);
}

const FILE = {
  name: 'packing list.txt',
  content: 'Two phones, one charger, and the bell.\n',
};

/** Only its uploader can read a file, until a message links to it; then the readers of the message can. */
export async function showFiles(
  api: DemoApi,
  printer: DemoPrinter,
  { owner, other }: { readonly owner: Person; readonly other: Person },
): Promise<void> {
  printer.section(
    `${owner.name} uploads a file`,
    `Only she can read it. For ${other.name}, who would have to guess its link, the file does not exist.`,
  );
  const link = await api.upload(owner, FILE, 'The file is kept');
  await api.openFile(owner, link, FILE);
  const msg = 'This file does not exist or has been deleted.';
  await api.findNoFile(other, link, refused(404, msg, `${other.name} cannot read the file`));
  printer.seen(`${owner.name} can open it, and ${other.name} cannot.`);

  printer.section(
    `${owner.name} sends it to ${other.name}`,
    'All readers of a message can read the files that its sender shares in it.',
  );
  await send(api, owner, {
    type: 'direct',
    to: `[${other.userId}]`,
    content: `For tomorrow: [${FILE.name}](${link})`,
  });
  await api.openFile(other, link, FILE);
  printer.seen(`${other.name} can open it now.`);

  printer.section(
    'A temporary URL',
    'A browser or a media player has no API key. It gets a URL that is valid for 60 seconds for everyone who\n' +
      'knows it. Open it in your browser within that time.',
  );
  const route = ['GET', link] as const;
  const { url } = await api.call(other, route, {}, granted('There is a temporary address'));
  const anyone = { name: 'Anyone', email: '', apiKey: null };
  await api.openFile(anyone, String(url), FILE);
  printer.seen('It opens without signing in.');
}
