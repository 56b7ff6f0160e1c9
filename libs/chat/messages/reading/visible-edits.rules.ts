/** A change of a message that may have moved it from another channel. */
interface Move {
  /** The channel before; null if it stayed. */
  readonly prevChannelId: number | null;
}

/**
 * The changes of a message that its reader may see, newest first like all changes: none from before it came from a channel
 * that the reader cannot read, and not that move either. Their topics and texts are those of the other channel.
 */
export function visibleEdits<Edit extends Move>(
  edits: readonly Edit[],
  readable: ReadonlySet<number>,
): readonly Edit[] {
  const end = edits.findIndex(({ prevChannelId: id }) => id !== null && !readable.has(id));
  return end === -1 ? edits : edits.slice(0, end);
}

/** The channels from which messages have moved, each once. */
export const earlierChannelsOf = (edits: readonly Move[]): number[] => [
  ...new Set(edits.flatMap(({ prevChannelId: id }) => (id === null ? [] : [id]))),
];
