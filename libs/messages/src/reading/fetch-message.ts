import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { AccessMessage } from './access-message.js';
import { ComposeMessage } from '../composing/compose-message.js';
import type { StoredMessage } from './message.repository.js';

/** A message as it is shown. */
export interface ShownMessage extends StoredMessage {
  readonly rendered: string;
}

/** Fetches a message for an account that may read it. */
@Injectable()
export class FetchMessage {
  constructor(
    private readonly accessMessage: AccessMessage,
    private readonly compose: ComposeMessage,
  ) {}

  /** One that was stored without its HTML gets it here, as its reader knows the names in it. Throws `invalidMessage` as AccessMessage does. */
  async execute(caller: Caller, messageId: number): Promise<ShownMessage> {
    const message = await this.accessMessage.execute(caller, messageId);
    return { ...message, rendered: message.rendered ?? (await this.#render(caller, message)) };
  }

  async #render(caller: Caller, { content }: StoredMessage): Promise<string> {
    const { rendered } = await this.compose.execute(caller, content);
    return rendered;
  }
}
