import type { PresenceRequest } from '#contracts';
import type { UserDirectory } from '../directory/user-directory.js';
import type { Mirror, MirrorNode } from '../mirror/mirror.js';
import { answerCursor, type AnswerWindow, answerWindow, legacyFragment } from './answer.rules.js';

/** What an answer is made from. */
export interface AnswerSources {
  /** Undefined while the realm is still being loaded. */
  readonly mirror: Mirror | undefined;
  readonly directory: Pick<UserDirectory, 'get' | 'isShown'>;
  /** Null: the viewer may see everyone. */
  readonly seenUsers: ReadonlySet<number> | null;
}

/** What an answer is made from that is for all viewers who see everyone; the mirror is proven. */
export interface SharedSources extends Omit<AnswerSources, 'seenUsers'> {
  readonly mirror: Mirror;
}

/** An answer with entries, and how many they are. */
export interface ComposedAnswer {
  /** Finished JSON. */
  readonly text: string;
  readonly entries: number;
}

/** The answer for one viewer alone; `nowMs` is when the data is read. */
export function composeAnswer(
  request: PresenceRequest,
  sources: AnswerSources,
  nowMs: number,
): ComposedAnswer {
  const window = answerWindow(request, nowMs / 1000);
  const fragments = collectFragments(window, request.format, sources);
  const position = sources.mirror?.position ?? -1;
  const cursor = answerCursor(request.lastUpdateId, position, fragments.length > 0);
  return finish(cursor, nowMs, fragments);
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
  finish(lastUpdateId ?? -1, nowMs, []).text;

/** The answer to a mere ping. */
export const pingAnswer = (lastUpdateId: number | null): string =>
  `{"presence_last_update_id":${lastUpdateId ?? -1}}`;

/** Three decimals always: a reader may expect a fraction. */
const finish = (cursor: number, nowMs: number, fragments: readonly string[]): ComposedAnswer => ({
  text: `{"presence_last_update_id":${cursor},"server_timestamp":${(nowMs / 1000).toFixed(3)},"presences":{${fragments.join(',')}}}`,
  entries: fragments.length,
});

function collectFragments(
  { aboveId, seenSince }: AnswerWindow,
  format: PresenceRequest['format'],
  { mirror, directory, seenUsers }: AnswerSources,
): string[] {
  const fragments: string[] = [];
  let node: MirrorNode | undefined = mirror?.newest;
  for (; node && node.entry.id > aboveId; node = node.older) {
    const { userId, idleAt } = node.entry;
    if (seenSince !== null && idleAt < seenSince) continue;
    if (seenUsers !== null && !seenUsers.has(userId)) continue;
    if (!directory.isShown(userId)) continue;
    const fragment = format === 'modern' ? node.fragment : legacyOf(node, directory);
    if (fragment !== undefined) fragments.push(fragment);
  }
  return fragments;
}

/** Undefined for a user whose address is not known yet. */
function legacyOf(node: MirrorNode, directory: AnswerSources['directory']): string | undefined {
  const email = directory.get(node.entry.userId)?.email;
  if (email === undefined) return undefined;
  if (node.legacy?.email !== email) {
    node.legacy = { email, fragment: legacyFragment(node.entry, JSON.stringify(email)) };
  }
  return node.legacy.fragment;
}
