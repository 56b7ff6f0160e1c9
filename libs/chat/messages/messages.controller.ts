import { Controller, Headers, Inject } from '@nestjs/common';
import { EXTERNAL_URL } from '#directory/auth';
import type { Caller } from '#platform/contracts';
import { realmUrl } from '#platform/core';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { IdempotencyKeyTrimmer } from '#platform/idempotency';
import { destinationKindOf } from './destination-type.schema.js';
import { MessageFlagsService } from './flags/message-flags.service.js';
import { messageLink, messagePath } from './message-address.rules.js';
import { toMessageResponse } from './message.response.js';
import {
  getMessage,
  postMarkChannelAsRead,
  postMessage,
  postMessageFlags,
} from './messages.schema.js';
import { MessagesService } from './messages.service.js';
import { MessageSender, type SendMessageInput } from './sending/message-sender.js';
import { clientName } from './sending/new-message.rules.js';

@Controller()
export class MessagesController {
  constructor(
    private readonly sender: MessageSender,
    private readonly messages: MessagesService,
    private readonly flags: MessageFlagsService,
    private readonly keyTrimmer: IdempotencyKeyTrimmer,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  @Endpoint(postMessage)
  async send(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof postMessage>,
    @Headers('user-agent') userAgent: string | undefined,
  ) {
    const client = clientName(userAgent);
    const address = await this.sender.send(caller, toSendMessageInput(parameters, client));
    if (parameters['Idempotency-Key'] !== undefined) {
      void this.keyTrimmer.trimOccasionally(caller.userId);
    }
    const url = realmUrl(this.externalUrl, caller.realm.subdomain) + messagePath(address);
    return { id: address.id, message_url: url, message_link: messageLink(address, url) };
  }

  @Endpoint(getMessage)
  async get(@SignedIn() caller: Caller, @Parameters() parameters: ParametersOf<typeof getMessage>) {
    const message = await this.messages.fetch(caller, parameters.message_id);
    return {
      raw_content: message.content,
      message: toMessageResponse(message, {
        isHtml: parameters.apply_markdown,
        isEmptyTopicAllowed: parameters.allow_empty_topic_name,
      }),
    };
  }

  @Endpoint(postMarkChannelAsRead)
  async markChannel(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id }: ParametersOf<typeof postMarkChannelAsRead>,
  ) {
    await this.messages.markChannelAsRead(caller, stream_id);
  }

  @Endpoint(postMessageFlags)
  async flag(
    @SignedIn() caller: Caller,
    @Parameters() { messages, op, flag }: ParametersOf<typeof postMessageFlags>,
  ) {
    const change = { flag, isSet: op === 'add', messageIds: messages };
    const { messageIds, ignoredChannelIds } = await this.flags.update(caller, change);
    return { messages: messageIds, ignored_because_not_subscribed_channels: ignoredChannelIds };
  }
}

/** Maps the parameters of the endpoint to the input of MessageSender. */
const toSendMessageInput = (
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
