import { z } from 'zod';
import { MAX_RETENTION_DAYS, UNLIMITED_DAYS } from '#directory/realms';

/** How clients name the retention of the messages of a channel. */
export const retentionDays = z.union([
  z.literal('realm_default'),
  z.literal('unlimited'),
  z.int().min(1).max(MAX_RETENTION_DAYS),
]);

/** How long messages are kept, in days; null for the setting of the organisation. */
export const retentionOf = (given: z.infer<typeof retentionDays>): number | null => {
  if (given === 'realm_default') return null;
  return given === 'unlimited' ? UNLIMITED_DAYS : given;
};

/** Whether messages of a channel may, must or must not have the empty topic, or as the organisation says. */
export const topicsPolicy = z.enum([
  'inherit',
  'allow_empty_topic',
  'disable_empty_topic',
  'empty_topic_only',
]);
