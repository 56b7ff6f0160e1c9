import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { DeliverMessage } from '#messages';
import { SystemBots } from '#users';

const CLIENT = 'Carillon';

/** Shows an administrator what the Welcome Bot would write to new people. */
@Injectable()
export class SendTestWelcomeMessage {
  constructor(
    private readonly systemBots: SystemBots,
    private readonly deliverMessage: DeliverMessage,
  ) {}

  /** Resolves with the id of the message that the Welcome Bot sent the caller. Throws `emptyMessage`. */
  async execute(caller: Caller, content: string): Promise<number> {
    if (content.trim() === '') throw new ApiError('emptyMessage');
    const bot = await this.systemBots.welcomeBot();
    return this.deliverMessage.execute({
      senderId: bot.id,
      onBehalfOf: caller,
      place: { userIds: [caller.userId] },
      content,
      client: CLIENT,
      // Whoever tries it looks at the screen.
      isSilent: true,
    });
  }
}
