import type { MarkdownContext } from '#markdown';
import type { GroupMember, NamedThing } from './mention.repository.js';

/** Whom a message calls. */
export interface CalledPeople {
  readonly userIds: readonly number[];
  readonly groupIds: readonly number[];
  /** Everyone who is subscribed to the channel. */
  readonly isEveryone: boolean;
}

// As rendered: quotes, whose mentions call nobody again, and mentions that are not silent.
const QUOTE_OR_CALL =
  /<(\/?)blockquote>|<span class="user(-group)?-mention(?: channel-wildcard-mention)?" data-user(?:-group)?-id="(\d+|\*)">/g;

/**
 * Whom a rendered message calls: those that it shows as mentioned. What stands in code is not rendered
 * as a mention, so that readers and flags always agree.
 */
export function calledIn(html: string): CalledPeople {
  const userIds = new Set<number>();
  const groupIds = new Set<number>();
  let isEveryone = false;
  let quoteDepth = 0;
  for (const [, closing, group, id] of html.matchAll(QUOTE_OR_CALL)) {
    if (id === undefined) quoteDepth += closing === '' ? 1 : -1;
    else if (quoteDepth > 0) continue;
    else if (id === '*') isEveryone = true;
    else (group === undefined ? userIds : groupIds).add(Number(id));
  }
  return { userIds: [...userIds], groupIds: [...groupIds], isEveryone };
}

/**
 * By the account, the group through which alone a message calls somebody: of several the one with the fewest
 * members, which says most of why it is them. Those who are called by their names are not among them.
 */
export function callingGroups(
  members: readonly GroupMember[],
  calledByName: readonly number[],
): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>();
  for (const { groupId } of members) sizes.set(groupId, (sizes.get(groupId) ?? 0) + 1);
  const largestFirst = members.toSorted(
    (one, other) =>
      (sizes.get(other.groupId) ?? 0) - (sizes.get(one.groupId) ?? 0) ||
      other.groupId - one.groupId,
  );
  const groups = new Map(largestFirst.map(({ userId, groupId }) => [userId, groupId]));
  for (const userId of calledByName) groups.delete(userId);
  return groups;
}

/** Tells the renderer what names stand for. A name that several have, and no number, is nobody's. */
export function contextOf(found: readonly NamedThing[]): MarkdownContext {
  const ids = new Map<string, number | undefined>();
  for (const { kind, name, givenId, id } of found) {
    const key = keyOf(kind, name, givenId);
    ids.set(key, ids.has(key) && ids.get(key) !== id ? undefined : id);
  }
  return {
    findUser: (fullName, id) => ids.get(keyOf('user', fullName, id ?? null)),
    findGroup: (name) => ids.get(keyOf('group', name, null)),
    findChannel: (name) => ids.get(keyOf('channel', name, null)),
  };
}

const keyOf = (kind: NamedThing['kind'], name: string, givenId: number | null): string =>
  `${kind} ${givenId ?? ''} ${name}`;
