import { Injectable } from '@nestjs/common';
import { MessageSender, messageErrors } from '#chat/messages';
import { SystemBots } from '#directory/users';
import { ApiError, type Caller } from '#platform/contracts';

/** The message that the Welcome Bot sends to new accounts. */
@Injectable()
export class WelcomeMessageService {
  constructor(
    private readonly systemBots: SystemBots,
    private readonly sender: MessageSender,
  ) {}

  /** Sends the caller a welcome message from the Welcome Bot and resolves with its id. Throws `emptyMessage`. */
  async sendTest(caller: Caller, content: string): Promise<number> {
    if (content.trim() === '') throw new ApiError(messageErrors.emptyMessage);
    const bot = await this.systemBots.welcomeBot();
    return this.sender.sendAsServer({
      senderId: bot.id,
      onBehalfOf: caller,
      place: { userIds: [caller.userId] },
      content,
      // The caller is at the screen, so no notification is needed.
      isSilent: true,
    });
  }
}
