import type { MarkdownContext } from '#markdown';
import type { NamedThing } from './mention.repository.js';

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
