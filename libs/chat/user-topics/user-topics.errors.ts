import { badRequest, defineErrors } from '#platform/contracts';

/** Topics of a user. */
export const userTopicErrors = defineErrors({
  topicNotMuted: badRequest(
    'Topic is not muted',
    'The caller ends the muting of a topic that they have not muted.',
  ),
  bothChannelNames: badRequest(
    'Unsupported parameter combination: stream_id, stream',
    'A request names its channel twice.',
  ),
  noChannelName: badRequest(
    "Please supply 'stream'.",
    'A request names its channel neither by id nor by name.',
  ),
});
