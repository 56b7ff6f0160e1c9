import type { ParametersOf } from '#edge';
import type { WantedMessage } from '#messages';
import type { postMessage } from './messages.schema.js';

/** What is asked for with the parameters of sending, from a program of this name. */
export const toWantedMessage = (
  parameters: ParametersOf<typeof postMessage>,
  client: string,
): WantedMessage => ({
  kind: parameters.type === 'channel' || parameters.type === 'stream' ? 'channel' : 'direct',
  to: parameters.to,
  topic: parameters.topic ?? parameters.subject,
  content: parameters.content,
  client,
  isReadBySender: parameters.read_by_sender,
  idempotencyKey: parameters['Idempotency-Key'],
});
