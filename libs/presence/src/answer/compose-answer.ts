import type { PresenceRequest } from '#contracts';
import type { UserDirectory } from '../directory/user-directory.js';
import { type Mirror, type MirrorNode, modernFragment } from '../mirror/mirror.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import { answerCursor, type AnswerWindow, answerWindow, legacyFragment } from './answer.rules.js';

/** What an answer is made from. */
export interface AnswerSources {
  /** Undefined while the realm is still being loaded. */
  readonly mirror: Mirror | undefined;
  readonly directory: Pick<UserDirectory, 'get' | 'isStillToRead'>;
  /** Null: the viewer may see everyone. */
  readonly seenUsers: ReadonlySet<number> | null;
  /** What the viewer has reported, as it is shown, where the mirror does not have it yet. */
  readonly own?: PresenceEntry | undefined;
}

/** What an answer is made from that is for all viewers who see everyone; the mirror is proven. */
export interface SharedSources extends Omit<AnswerSources, 'seenUsers' | 'own'> {
  readonly mirror: Mirror;
}

/** An answer, and how many entries it has. */
export interface ComposedAnswer {
  /** Finished JSON. */
  readonly text: string;
  readonly entries: number;
  /** False when somebody had to be left out who is to be told of: then it moves no cursor. */
  readonly isWhole: boolean;
}

/** The answer for one viewer alone; `nowMs` is when the data is read. */
export function composeAnswer(
  request: PresenceRequest,
  sources: AnswerSources,
  nowMs: number,
): ComposedAnswer {
  const window = answerWindow(request, nowMs / 1000);
  const collected = collectFragments(window, request.format, sources);
  const position = sources.mirror?.position ?? -1;
  const isMoving = collected.isWhole && collected.fragments.length > 0;
  const cursor = answerCursor(request.lastUpdateId, position, isMoving);
  return finish(cursor, nowMs, collected);
}

/** The answer for all viewers who see everyone; what is missing in it is outside of the window. */
export const composeSharedAnswer = (
  window: AnswerWindow,
  format: PresenceRequest['format'],
  sources: SharedSources,
  nowMs: number,
): ComposedAnswer =>
  finish(
    sources.mirror.position,
    nowMs,
    collectFragments(window, format, { ...sources, seenUsers: null }),
  );

/** The answer that says nothing and moves no cursor. */
export const emptyAnswer = (lastUpdateId: number | null, nowMs: number): string =>
  finish(lastUpdateId ?? -1, nowMs, { fragments: [], isWhole: true }).text;

/** The answer to a mere ping. */
export const pingAnswer = (lastUpdateId: number | null): string =>
  `{"presence_last_update_id":${lastUpdateId ?? -1}}`;

interface Collected {
  readonly fragments: readonly string[];
  readonly isWhole: boolean;
}

/** Three decimals always: a reader may expect a fraction. */
const finish = (
  cursor: number,
  nowMs: number,
  { fragments, isWhole }: Collected,
): ComposedAnswer => ({
  text: `{"presence_last_update_id":${cursor},"server_timestamp":${(nowMs / 1000).toFixed(3)},"presences":{${fragments.join(',')}}}`,
  entries: fragments.length,
  isWhole,
});

function collectFragments(
  { aboveId, seenSince }: AnswerWindow,
  format: PresenceRequest['format'],
  { mirror, directory, seenUsers, own }: AnswerSources,
): Collected {
  const fragments: string[] = [];
  let isWhole = true;
  const tell = (node: Pick<MirrorNode, 'shown' | 'fragment' | 'legacy'>): void => {
    const { userId, isDeactivated, idleAt, id } = node.shown;
    if (userId === own?.userId && node.shown !== own) return;
    if (isDeactivated || (seenSince !== null && idleAt < seenSince)) return;
    if (seenUsers !== null && !seenUsers.has(userId)) return;
    const fragment = format === 'modern' ? node.fragment : legacyOf(node, directory);
    if (fragment !== undefined) fragments.push(fragment);
    else if (directory.isStillToRead(userId, id)) isWhole = false;
  };
  let node: MirrorNode | undefined = mirror?.newest;
  for (; node && node.entry.id > aboveId; node = node.older) tell(node);
  // It may be long until this gets an id above the cursor of those who have seen them here.
  if (Number.isFinite(aboveId)) {
    for (const veiled of mirror?.veiled() ?? []) if (veiled.entry.id <= aboveId) tell(veiled);
  }
  if (own) tell({ shown: own, fragment: modernFragment(own), legacy: undefined });
  return { fragments, isWhole };
}

/** Undefined for a user whose address is not known yet. */
function legacyOf(
  node: Pick<MirrorNode, 'shown' | 'legacy'>,
  directory: AnswerSources['directory'],
): string | undefined {
  const email = directory.get(node.shown.userId)?.email;
  if (email === undefined) return undefined;
  if (node.legacy?.email !== email) {
    node.legacy = { email, fragment: legacyFragment(node.shown, JSON.stringify(email)) };
  }
  return node.legacy.fragment;
}
