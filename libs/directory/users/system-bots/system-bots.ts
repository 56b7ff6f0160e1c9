import { Injectable } from '@nestjs/common';
import { SystemBotRepository } from './system-bot.repository.js';

/** An account that sends messages for the server. */
export interface SystemBot {
  readonly id: number;
  readonly fullName: string;
  readonly email: string;
}

const notificationBot = {
  fullName: 'Notification Bot',
  email: 'notification-bot@system.invalid',
} as const;
const welcomeBot = { fullName: 'Welcome Bot', email: 'welcome-bot@system.invalid' } as const;

/**
 * The accounts that send messages for the server in all organisations. They are created on first use, and nobody can
 * sign in as a system bot.
 */
@Injectable()
export class SystemBots {
  #bots: Promise<ReadonlyMap<string, SystemBot>> | undefined;

  constructor(private readonly repository: SystemBotRepository) {}

  /** Sends notifications, for example about a report to the moderators. */
  notificationBot(): Promise<SystemBot> {
    return this.#bot(notificationBot.email);
  }

  /** Sends the welcome message to new accounts. */
  welcomeBot(): Promise<SystemBot> {
    return this.#bot(welcomeBot.email);
  }

  async #bot(email: string): Promise<SystemBot> {
    this.#bots ??= this.#load();
    const bot = (await this.#bots).get(email);
    if (bot === undefined) throw new Error(`System bot ${email} is missing`);
    return bot;
  }

  async #load(): Promise<ReadonlyMap<string, SystemBot>> {
    try {
      const bots = await this.repository.findOrCreate([notificationBot, welcomeBot]);
      return new Map(bots.map((bot) => [bot.email, bot]));
    } catch (error) {
      // The next call tries again.
      this.#bots = undefined;
      throw error;
    }
  }
}
