import type { StatusRequest } from '#user-status';

interface StatusParameters {
  readonly status_text?: string | undefined;
  readonly emoji_name?: string | undefined;
  readonly emoji_code?: string | undefined;
  readonly reaction_type?: string | undefined;
}

/** The parameters of either endpoint that changes a status. */
export const statusRequestOf = (parameters: StatusParameters): StatusRequest => ({
  text: parameters.status_text,
  emojiName: parameters.emoji_name,
  emojiCode: parameters.emoji_code,
  emojiType: parameters.reaction_type,
});
