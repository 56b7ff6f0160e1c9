import type { PresenceRequest } from '#contracts';
import type { UserDirectory } from '../directory/user-directory.js';
import type { Mirror, MirrorNode } from '../mirror/mirror.js';
import { answerCursor, answerWindow, legacyFragment } from './answer.rules.js';

/** What an answer is made from. */
export interface AnswerSources {
  /** Undefined while the realm is still being loaded. */
  readonly mirror: Mirror | undefined;
  readonly directory: UserDirectory;
  /** Null: the viewer may see everyone. */
  readonly seenUsers: ReadonlySet<number> | null;
}

/** The finished JSON text of an answer with entries; `nowMs` is when the data is read. */
export function composeAnswer(
  request: PresenceRequest,
  sources: AnswerSources,
  nowMs: number,
): string {
  const fragments = collectFragments(request, sources, nowMs);
  const position = sources.mirror?.position ?? -1;
  const cursor = answerCursor(request.lastUpdateId, position, fragments.length > 0);
  return wrap(cursor, nowMs, fragments.join(','));
}

/** The answer that says nothing and moves no cursor. */
export const emptyAnswer = (lastUpdateId: number | null, nowMs: number): string =>
  wrap(lastUpdateId ?? -1, nowMs, '');

/** The answer to a mere ping. */
export const pingAnswer = (lastUpdateId: number | null): string =>
  `{"presence_last_update_id":${lastUpdateId ?? -1}}`;

/** Three decimals always: a reader may expect a fraction. */
const wrap = (cursor: number, nowMs: number, entries: string): string =>
  `{"presence_last_update_id":${cursor},"server_timestamp":${(nowMs / 1000).toFixed(3)},"presences":{${entries}}}`;

function collectFragments(
  request: PresenceRequest,
  { mirror, directory, seenUsers }: AnswerSources,
  nowMs: number,
): string[] {
  const { aboveId, seenSince } = answerWindow(request, nowMs / 1000);
  const fragments: string[] = [];
  let node: MirrorNode | undefined = mirror?.newest;
  for (; node && node.entry.id > aboveId; node = node.older) {
    const { userId, idleAt } = node.entry;
    if (seenSince !== null && idleAt < seenSince) continue;
    if (seenUsers !== null && !seenUsers.has(userId)) continue;
    if (!directory.isShown(userId)) continue;
    const fragment = request.format === 'modern' ? node.fragment : legacyOf(node, directory);
    if (fragment !== undefined) fragments.push(fragment);
  }
  return fragments;
}

/** Undefined for a user whose address is not known yet. */
function legacyOf({ entry }: MirrorNode, directory: UserDirectory): string | undefined {
  const user = directory.get(entry.userId);
  return user && legacyFragment(entry, JSON.stringify(user.email));
}
