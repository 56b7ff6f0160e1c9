import { createHash } from 'node:crypto';
import type { TopicPlace } from '#chat/user-topics';

/** The place of a message: a topic of a channel, or a direct conversation. */
export type MessagePlace =
  | TopicPlace
  /** With or without the sender. */
  | { readonly userIds: readonly number[] };

/** In characters. PostgreSQL limits an index entry to a third of a page, which is more. */
const MAX_PLAIN_KEY_LENGTH = 2000;

/** The ids of the members of a direct conversation, including the sender, in ascending order. */
export const membersOf = (senderId: number, userIds: readonly number[]): number[] =>
  [...new Set([senderId, ...userIds])].toSorted((one, other) => one - other);

/** The unique key of a conversation: the ids of its members, separated by commas, or a digest if that is too long. */
export function conversationKey(members: readonly number[]): string {
  const key = members.join(',');
  if (key.length <= MAX_PLAIN_KEY_LENGTH) return key;
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** A unique number for each place, by which clients group messages: even for channels, odd for conversations. */
export const recipientId = (place: {
  readonly channelId: number | null;
  readonly conversationId: number | null;
}): number =>
  place.channelId === null ? 2 * (place.conversationId ?? 0) + 1 : 2 * place.channelId;

const MAX_CLIENT_NAME_LENGTH = 60;

/** The name of the client in a `User-Agent` header; empty without a header. */
export function clientName(userAgent: string | undefined): string {
  const [name = ''] = (userAgent ?? '').split('/', 1);
  return name.trim().slice(0, MAX_CLIENT_NAME_LENGTH);
}

// A path ends at a character that ends an address in Markdown or in plain text.
const LINK = /\/user_uploads\/(?:download\/)?(\d+\/[^\s()[\]<>"'`?#|\\]+)/g;
const PUNCTUATION = new Set('.,;:!*_~');

/**
 * The paths of the uploaded files that a source may link, from the id of the organisation on. A path that ends in
 * punctuation is returned with and without it, since the name of a file may also end in punctuation.
 */
export function linkedPaths(source: string): string[] {
  const paths = new Set<string>();
  for (const [, given] of source.matchAll(LINK)) {
    if (given === undefined) continue;
    for (const path of [given, withoutTrailingPunctuation(given)]) paths.add(decoded(path));
  }
  return [...paths];
}

/** A loop, since a pattern that is anchored at the end takes quadratic time for a long run of punctuation. */
function withoutTrailingPunctuation(path: string): string {
  let end = path.length;
  while (end > 0 && PUNCTUATION.has(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end);
}

/** Decodes percent-encoding; returns a malformed path unchanged. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('\0', '');
  } catch {
    return path;
  }
}
