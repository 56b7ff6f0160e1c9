import { badRequest, defineErrors } from '#platform/contracts';

/** Errors of lists of messages. */
export const fetchErrors = defineErrors({
  missingAnchor: badRequest(
    "Missing 'anchor' argument.",
    'A request for messages has neither `anchor` nor `message_ids`.',
  ),
  missingAnchorDate: badRequest(
    "Missing 'anchor_date' argument.",
    'The anchor is `date`, and `anchor_date` is missing.',
  ),
  invalidAnchor: badRequest('Invalid anchor', 'The anchor is neither an id nor one of the names.'),
  invalidAnchorDate: badRequest('Invalid anchor_date', 'The date is not in ISO 8601.'),
  anchorExcludedInside: badRequest(
    'The anchor can only be excluded at an end of the range',
    '`include_anchor` is false, and neither `num_before` nor `num_after` is 0.',
  ),
  tooManyMessagesRequested: badRequest(
    'Too many messages requested (maximum {limit}).',
    '`num_before` and `num_after` together are too large, or the messages of a list of ids have more than 4 MB; the limit is then the number of those that fit.',
  ),
  anchorWithMessageIds: badRequest(
    'Unsupported parameter combination: num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor',
    'A request has `message_ids` and a parameter of a range.',
  ),
  noSuchTopic: badRequest(
    "No such topic '{topic}'",
    'The caller has no unread message of this topic in the channel, and has received none of its newest 10,000.',
  ),
});
