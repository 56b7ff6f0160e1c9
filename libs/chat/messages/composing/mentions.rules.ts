import { shownGroupName } from '#directory/groups';
import type { NameMatch, MarkdownContext } from '#platform/markdown';
import type { GroupMember, MentionName } from './mention.repository.js';

/**
 * The group through which a message mentions an account, by account: of several groups the one with the fewest
 * members, which is the most specific. Accounts that are mentioned by name are left out.
 */
export function mentionedVia(
  members: readonly GroupMember[],
  mentionedByName: readonly number[],
): ReadonlyMap<number, number> {
  return viaSmallest(largestFirst(members), mentionedByName);
}

/** The members of groups, those of the largest group first. */
export function largestFirst(members: readonly GroupMember[]): GroupMember[] {
  const sizes = new Map<number, number>();
  for (const { groupId } of members) sizes.set(groupId, (sizes.get(groupId) ?? 0) + 1);
  return members.toSorted(
    (one, other) =>
      (sizes.get(other.groupId) ?? 0) - (sizes.get(one.groupId) ?? 0) ||
      other.groupId - one.groupId,
  );
}

/** The same as `mentionedVia`, for members whose largest group is first. */
export function viaSmallest(
  members: readonly GroupMember[],
  mentionedByName: readonly number[],
): ReadonlyMap<number, number> {
  const groups = new Map(members.map(({ userId, groupId }) => [userId, groupId]));
  for (const userId of mentionedByName) groups.delete(userId);
  return groups;
}

/** The names for the renderer: of several objects with a name, the first one of the list. */
export function contextOf(found: readonly MentionName[]): MarkdownContext {
  const known = new Map<string, MentionName>();
  for (const object of found) {
    const key = keyOf(object);
    if (!known.has(key)) known.set(key, object);
  }
  const find = (kind: MentionName['kind'], name: string, givenId: number | null) =>
    known.get(keyOf({ kind, name, givenId }));
  return {
    findUser: (fullName, id) => toFoundName(find('user', fullName, id ?? null)),
    findGroup: (name) => {
      const group = toFoundName(find('group', name, null));
      return group === undefined ? undefined : { ...group, name: shownGroupName(group.name) };
    },
    findChannel: (name) => find('channel', name, null)?.id,
  };
}

const toFoundName = (found: MentionName | undefined): NameMatch | undefined =>
  found === undefined ? undefined : { id: found.id, name: found.ownName, isActive: found.isActive };

const keyOf = ({ kind, name, givenId }: Pick<MentionName, 'kind' | 'name' | 'givenId'>): string =>
  `${kind} ${givenId ?? ''} ${name}`;

const UPLOADS = '/user_uploads/';
const PREVIEWED = /\.(?:bmp|gif|jpe?g|png|webp|mp4|webm)$/i;

/** The addresses at which clients load the linked files: their links, for files with these paths. */
export function previewsOf(
  paths: readonly string[],
): Exclude<MarkdownContext['previewOf'], undefined> {
  const known = new Set(paths);
  return (address) => {
    if (!address.startsWith(UPLOADS) || !PREVIEWED.test(address)) return undefined;
    return known.has(decoded(address.slice(UPLOADS.length))) ? address : undefined;
  };
}

const IMAGE = /\.(?:bmp|gif|jpe?g|png|webp)$/i;
const AUDIO = /\.(?:aac|flac|m4a|mp3|oga|ogg|opus|wav)$/i;

/** What the files with these paths are that a source shows in its lines. */
export function mediaOf(paths: readonly string[]): Exclude<MarkdownContext['mediaOf'], undefined> {
  const known = new Set(paths);
  return (address) => {
    if (!address.startsWith(UPLOADS) || !known.has(decoded(address.slice(UPLOADS.length)))) {
      return undefined;
    }
    if (IMAGE.test(address)) return 'image';
    return AUDIO.test(address) ? 'audio' : undefined;
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
