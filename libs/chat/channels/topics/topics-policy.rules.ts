/** Whether the messages of a channel may, must or must not have the empty topic. */
export const topicsPolicies = [
  'allow_empty_topic',
  'disable_empty_topic',
  'empty_topic_only',
] as const;

export type TopicsPolicy = (typeof topicsPolicies)[number];

/** The policy that applies to a channel: its own, or that of the organisation if the channel inherits it. */
export function topicsPolicyOf(ofChannel: string, ofOrganisation: string): TopicsPolicy {
  const policy = ofChannel === 'inherit' ? ofOrganisation : ofChannel;
  return policy === 'disable_empty_topic' || policy === 'empty_topic_only'
    ? policy
    : 'allow_empty_topic';
}
