/** The namespaces of emoji codes, as they stand on the wire. */
export const emojiTypes = ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'] as const;

export type EmojiType = (typeof emojiTypes)[number];

/** One emoji under one of its names. */
export interface Emoji {
  readonly name: string;
  /** What it is within its namespace: code points in hexadecimal, the id of an upload, or its name. */
  readonly code: string;
  readonly type: EmojiType;
}

/** An emoji as a client asks for it: by its name, and perhaps by its code. */
export interface EmojiChoice {
  readonly name?: string | undefined;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
}

/** The one emoji that is neither Unicode's nor an organisation's. */
export const extraEmoji = {
  name: 'zulip',
  code: 'zulip',
  type: 'zulip_extra_emoji',
} as const satisfies Emoji;
