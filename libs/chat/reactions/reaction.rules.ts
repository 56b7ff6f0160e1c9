import type { EmojiIdentity, OwnReaction } from './reaction.repository.js';

/** The reaction to remove, as a client names it. */
interface ReactionChoice {
  readonly name: string | undefined;
  /** Normalized. */
  readonly code: string | undefined;
  readonly type: string | undefined;
}

/**
 * The reaction that a client names among its own: by code and type if it gives a code, else by the emoji that the name
 * stands for (`named`), else by the name under which it is stored; null for none.
 */
export function chosenReaction(
  own: readonly OwnReaction[],
  { name, code, type }: ReactionChoice,
  named: EmojiIdentity | null,
): OwnReaction | null {
  const ofType = own.filter((reaction) => type === undefined || reaction.type === type);
  if (code !== undefined) return ofType.find((reaction) => reaction.code === code) ?? null;
  return (
    ofType.find((one) => named !== null && one.code === named.code && one.type === named.type) ??
    ofType.find((reaction) => reaction.name === name) ??
    null
  );
}
