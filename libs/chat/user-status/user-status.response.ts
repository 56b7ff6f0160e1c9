import type { VisibleStatus } from './user-status.repository.js';

/** The parts of a status that are set. */
export const toStatusResponse = ({ text, emoji, isAway }: VisibleStatus) => ({
  ...(isAway && { away: true }),
  ...(text !== null && { status_text: text }),
  ...(emoji !== null && {
    emoji_name: emoji.name,
    emoji_code: emoji.code,
    reaction_type: emoji.type,
  }),
});
