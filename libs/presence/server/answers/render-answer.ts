import { substituteIdentity } from '#directory/guest-access';
import { type BodyEncoding, successEnvelope } from '#platform/contracts';
import type { PresenceAnswer, PresenceRequest } from '#presence/rpc';
import { compress } from '#platform/core';
import {
  type RealmReplica,
  type ReplicaNode,
  modernFragment,
  type UserDirectory,
} from '#presence/replica';
import {
  answerCursor,
  answerText,
  type AnswerWindow,
  answerWindow,
  type BuiltAnswer,
  legacyFragment,
  type PresenceEntry,
} from '#presence/rules';
import { isHiddenFrom, substituteHostOf, type ViewLimits } from '../access-limits.js';

/** The sources of an answer. */
interface AnswerSources {
  /** Undefined while the realm is being loaded. */
  readonly replica: RealmReplica | undefined;
  readonly directory: Pick<UserDirectory, 'get' | 'isStillToRead'>;
  /** Null: the viewer may see everyone. */
  readonly limits: ViewLimits | null;
  /** The viewer's own accepted change that the replica does not have yet, as it is shown. */
  readonly own?: PresenceEntry | undefined;
}

/** The JSON text of an answer, and what it contains. */
interface AnswerText {
  /** Finished JSON. */
  readonly text: string;
  /** The number of users. */
  readonly entries: number;
  /** False if the address of a user is not known yet. Such an answer must not advance a cursor. */
  readonly isComplete: boolean;
}

/** Renders the answer for one viewer; `nowMs` is the time of the read. */
export function renderAnswer(
  request: PresenceRequest,
  sources: AnswerSources,
  nowMs: number,
): AnswerText {
  const window = answerWindow(request, nowMs / 1000);
  const collected = collectFragments(window, request.format, sources);
  const position = sources.replica?.position ?? -1;
  const isMoving = collected.isComplete && collected.fragments.length > 0;
  const cursor = answerCursor(request.lastUpdateId, position, isMoving);
  return finish(cursor, nowMs, collected);
}

/** Renders the answer for all viewers without limits, with all entries of the window. */
export const renderSharedAnswer = (
  window: AnswerWindow,
  format: PresenceRequest['format'],
  sources: Omit<AnswerSources, 'limits' | 'own'> & { readonly replica: RealmReplica },
  nowMs: number,
): AnswerText =>
  finish(
    sources.replica.position,
    nowMs,
    collectFragments(window, format, { ...sources, limits: null }),
  );

interface Collected {
  readonly fragments: readonly string[];
  readonly isComplete: boolean;
}

const finish = (
  cursor: number,
  nowMs: number,
  { fragments, isComplete }: Collected,
): AnswerText => ({
  text: answerText(cursor, nowMs, fragments),
  entries: fragments.length,
  isComplete,
});

function collectFragments(
  { aboveId, seenSince }: AnswerWindow,
  format: PresenceRequest['format'],
  { replica, directory, limits, own }: AnswerSources,
): Collected {
  const fragments: string[] = [];
  let isComplete = true;
  const add = (node: Pick<ReplicaNode, 'shown' | 'fragment' | 'legacy' | 'substituted'>): void => {
    const { userId, isDeactivated, idleAt, id } = node.shown;
    if (userId === own?.userId && node.shown !== own) return;
    if (isDeactivated || (seenSince !== null && idleAt < seenSince)) return;
    if (isHiddenFrom(userId, limits)) return;
    const fragment = format === 'modern' ? node.fragment : legacyOf(node, directory, limits);
    if (fragment !== undefined) fragments.push(fragment);
    else if (directory.isStillToRead(userId, id)) isComplete = false;
  };
  let node: ReplicaNode | undefined = replica?.newest;
  for (; node && node.entry.id > aboveId; node = node.older) add(node);
  // An overridden entry gets its new id much later, and cursors may already be above its stored id.
  if (Number.isFinite(aboveId)) {
    for (const overridden of replica?.overridden() ?? []) {
      if (overridden.entry.id <= aboveId) add(overridden);
    }
  }
  if (own)
    add({ shown: own, fragment: modernFragment(own), legacy: undefined, substituted: undefined });
  return { fragments, isComplete };
}

/** Undefined if the address of the user is not known yet. */
function legacyOf(
  node: Pick<ReplicaNode, 'shown' | 'legacy' | 'substituted'>,
  directory: AnswerSources['directory'],
  limits: ViewLimits | null,
): string | undefined {
  const { userId } = node.shown;
  const email = directory.get(userId)?.email;
  if (email === undefined) return undefined;
  const host = substituteHostOf(userId, limits);
  if (host !== null) return substitutedOf(node, host);
  if (node.legacy?.email !== email) {
    node.legacy = { email, fragment: legacyFragment(node.shown, JSON.stringify(email)) };
  }
  return node.legacy.fragment;
}

function substitutedOf(node: Pick<ReplicaNode, 'shown' | 'substituted'>, host: string): string {
  if (node.substituted?.host !== host) {
    const { email } = substituteIdentity(node.shown.userId, host);
    node.substituted = { host, fragment: legacyFragment(node.shown, JSON.stringify(email)) };
  }
  return node.substituted.fragment;
}

/** An answer for several viewers, compressed once per encoding, in the thread pool. */
export class SharedAnswer implements BuiltAnswer {
  readonly position: number;
  readonly revision: number;
  readonly #compressed = new Map<BodyEncoding, Promise<PresenceAnswer>>();

  constructor(
    readonly rendered: AnswerText,
    /** The source of the answer. Another replica of the realm may have another history. */
    readonly replica: RealmReplica,
    readonly aboveId: number,
    readonly madeAtMs: number,
  ) {
    this.position = replica.position;
    this.revision = replica.revision;
  }

  /** Never rejects: if compression fails, the answer is text. */
  encode(encoding: BodyEncoding | null): PresenceAnswer | Promise<PresenceAnswer> {
    const { text } = this.rendered;
    if (encoding === null) return text;
    const known = this.#compressed.get(encoding);
    if (known) return known;
    const compressed = compress(successEnvelope(text), encoding).then(
      (body): PresenceAnswer => ({ encoding, body }),
      () => text,
    );
    this.#compressed.set(encoding, compressed);
    return compressed;
  }
}
