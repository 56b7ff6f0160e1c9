import { Controller, Headers } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { TrimKeys } from '#idempotency';
import {
  clientName,
  FetchMessage,
  MarkChannelAsRead,
  SendMessage,
  UpdateMessageFlags,
} from '#messages';
import { tellMessage } from './message.answer.js';
import {
  getMessage,
  postMarkStreamAsRead,
  postMessage,
  postMessageFlags,
} from './messages.schema.js';
import { toWantedMessage } from './wanted-message.js';

@Controller()
export class MessagesController {
  constructor(
    private readonly sendMessage: SendMessage,
    private readonly fetchMessage: FetchMessage,
    private readonly markChannelAsRead: MarkChannelAsRead,
    private readonly updateMessageFlags: UpdateMessageFlags,
    private readonly trimKeys: TrimKeys,
  ) {}

  @Endpoint(postMessage)
  async send(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof postMessage>,
    @Headers('user-agent') userAgent: string | undefined,
  ) {
    const client = clientName(userAgent);
    const id = await this.sendMessage.execute(caller, toWantedMessage(parameters, client));
    if (parameters['Idempotency-Key'] !== undefined) void this.trimKeys.execute(caller.userId);
    return { id };
  }

  @Endpoint(getMessage)
  async get(@SignedIn() caller: Caller, @Parameters() parameters: ParametersOf<typeof getMessage>) {
    const message = await this.fetchMessage.execute(caller, parameters.message_id);
    return {
      raw_content: message.content,
      message: tellMessage(message, parameters.apply_markdown),
    };
  }

  @Endpoint(postMarkStreamAsRead)
  async markChannel(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id }: ParametersOf<typeof postMarkStreamAsRead>,
  ) {
    await this.markChannelAsRead.execute(caller, stream_id);
  }

  @Endpoint(postMessageFlags)
  async flag(
    @SignedIn() caller: Caller,
    @Parameters() { messages, op, flag }: ParametersOf<typeof postMessageFlags>,
  ) {
    const change = { flag, isSet: op === 'add', messageIds: messages };
    const changed = await this.updateMessageFlags.execute(caller, change);
    return { messages: changed, ignored_because_not_subscribed_channels: [] };
  }
}
