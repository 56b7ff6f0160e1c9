import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { AccessMessage } from './access-message.js';
import { ComposeMessage } from '../composing/compose-message.js';
import { HidePeople } from './hide-people.js';
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
    private readonly hidePeople: HidePeople,
  ) {}

  /**
   * The message as the caller may see it, with its HTML: a message that was stored without HTML is rendered with the
   * names that the caller knows. Throws `invalidMessage` as AccessMessage does.
   */
  async execute(caller: Caller, messageId: number): Promise<ShownMessage> {
    const message = await this.accessMessage.execute(caller, messageId);
    const [shown, rendered] = await Promise.all([
      this.hidePeople.execute(caller, message),
      message.rendered ?? this.#render(caller, message),
    ]);
    return { ...shown, rendered };
  }

  async #render(caller: Caller, { content }: StoredMessage): Promise<string> {
    const { rendered } = await this.compose.execute(caller, content);
    return rendered;
  }
}
