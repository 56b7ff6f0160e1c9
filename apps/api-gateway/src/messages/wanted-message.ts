import type { ParametersOf } from '#edge';
import type { WantedMessage } from '#messages';
import type { postMessage } from './messages.schema.js';

/** What is asked for with the parameters of sending, from a program of this name. */
export const toWantedMessage = (
  { type, to, topic, subject, content, read_by_sender }: ParametersOf<typeof postMessage>,
  client: string,
): WantedMessage => ({
  kind: type === 'channel' || type === 'stream' ? 'channel' : 'direct',
  to,
  topic: topic ?? subject,
  content,
  client,
  isReadBySender: read_by_sender,
});
