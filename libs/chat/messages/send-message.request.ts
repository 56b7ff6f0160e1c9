import type { ParametersOf } from '#platform/http';
import { destinationKindOf } from './destination-type.schema.js';
import type { postMessage } from './messages.schema.js';
import type { SendMessageInput } from './sending/message-sender.js';

/** Maps the parameters of the endpoint to the input of MessageSender. */
export const toSendMessageInput = (
  parameters: ParametersOf<typeof postMessage>,
  client: string,
): SendMessageInput => ({
  kind: destinationKindOf(parameters.type),
  to: parameters.to,
  topic: parameters.topic ?? parameters.subject,
  content: parameters.content,
  client,
  isReadBySender: parameters.read_by_sender,
  queueId: parameters.queue_id,
  localId: parameters.local_id,
  idempotencyKey: parameters['Idempotency-Key'],
});
