import type { SeenStatus } from '#user-status';

/** A status as the wire has it: without the parts that are not set. */
export const answerOfStatus = ({ text, emoji, isAway }: SeenStatus) => ({
  ...(isAway && { away: true }),
  ...(text !== null && { status_text: text }),
  ...(emoji !== null && {
    emoji_name: emoji.name,
    emoji_code: emoji.code,
    reaction_type: emoji.type,
  }),
});
