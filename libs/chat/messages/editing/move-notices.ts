import { Injectable, Logger } from '@nestjs/common';
import { SystemBots, UserAccess } from '#directory/users';
import type { Caller } from '#platform/contracts';
import { errorText } from '#platform/core';
import { MessageSender } from '../sending/message-sender.js';
import type { EditInput } from './message-edit.rules.js';
import { type FinishedMove, noticesOf } from './move-notices.rules.js';

/** The name of the client of messages of the server. */
const CLIENT = 'Carillon';

/** Sends the notices of the server about moved messages. */
@Injectable()
export class MoveNotices {
  readonly #logger = new Logger(MoveNotices.name);

  constructor(
    private readonly systemBots: SystemBots,
    private readonly access: UserAccess,
    private readonly sender: MessageSender,
  ) {}

  /**
   * Sends the notices of a move after its transaction, so that nobody gets a notice before the move. They cause no push
   * notifications. Never rejects: the move is stored, and a repetition of the request would be an error.
   */
  async send(caller: Caller, moved: FinishedMove, input: EditInput): Promise<void> {
    try {
      const [bot, mover] = await Promise.all([
        this.systemBots.notificationBot(),
        this.access.requireVisible(caller, caller.userId),
      ]);
      const from = { senderId: bot.id, onBehalfOf: caller, client: CLIENT, isSilent: true };
      for (const notice of noticesOf(moved, mover, input)) {
        await this.sender.sendAsServer({ ...from, ...notice });
      }
    } catch (error) {
      this.#logger.warn(`A notice of moved messages was not sent: ${errorText(error)}`);
    }
  }
}
