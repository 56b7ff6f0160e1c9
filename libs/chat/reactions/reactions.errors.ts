import { badRequest, defineErrors } from '#platform/contracts';

export const reactionErrors = defineErrors({
  reactionAlreadyExists: {
    code: 'REACTION_ALREADY_EXISTS',
    status: 400,
    msg: 'Reaction already exists.',
    when: 'The caller has already added the emoji to the message.',
  },
  reactionDoesNotExist: {
    code: 'REACTION_DOES_NOT_EXIST',
    status: 400,
    msg: "Reaction doesn't exist.",
    when: 'The caller has not added the emoji to the message.',
  },
  reactionWithoutEmoji: badRequest(
    'At least one of the following arguments must be present: emoji_name, emoji_code',
    'A request to remove a reaction names no emoji.',
  ),
  tooManyReactions: {
    code: 'LIMIT_REACHED',
    status: 400,
    msg: 'A message may have at most {limit} reactions.',
    when: 'The message has the greatest number of reactions of all accounts together.',
  },
});
