/** A change of a message that may have moved it from another channel. */
interface Move {
  /** The channel before; null if it stayed. */
  readonly prevChannelId: number | null;
}

/** The channels that an account may read, with whether they share their history with later readers. */
export type ReadableChannels = ReadonlyMap<number, boolean>;

/**
 * The changes of a message that its reader may see, newest first like all changes: none from before it came from a channel
 * that the reader cannot read, or that hides its history from a reader who has not received the message there; and not that move
 * either. Their topics and texts are those of the other channel. A reader to whom a move gave the message counts as one who has
 * not received it in any earlier channel.
 */
export function visibleEdits<Edit extends Move>(
  edits: readonly Edit[],
  readable: ReadableChannels,
  received: { readonly isHistorical: boolean; readonly isMovedIn: boolean } | null,
): readonly Edit[] {
  const isReceived = received !== null && !received.isHistorical && !received.isMovedIn;
  const isVisible = (id: number) => readable.get(id) === true || (isReceived && readable.has(id));
  const end = edits.findIndex(({ prevChannelId: id }) => id !== null && !isVisible(id));
  return end === -1 ? edits : edits.slice(0, end);
}

/** The channels from which messages have moved, each once. */
export const earlierChannelsOf = (edits: readonly Move[]): number[] => [
  ...new Set(edits.flatMap(({ prevChannelId: id }) => (id === null ? [] : [id]))),
];
