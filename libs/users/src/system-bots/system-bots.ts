import { Injectable } from '@nestjs/common';
import { SystemBotRepository } from './system-bot.repository.js';

/** An account that speaks for the server. */
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
 * The accounts that speak for the server itself, the same for all organisations. They are made when
 * first asked for, and nobody can sign in as one.
 */
@Injectable()
export class SystemBots {
  #known: Promise<ReadonlyMap<string, SystemBot>> | undefined;

  constructor(private readonly bots: SystemBotRepository) {}

  /** Tells people what concerns them, such as a report to the moderators. */
  notificationBot(): Promise<SystemBot> {
    return this.#bot(notificationBot.email);
  }

  /** Welcomes new people. */
  welcomeBot(): Promise<SystemBot> {
    return this.#bot(welcomeBot.email);
  }

  async #bot(email: string): Promise<SystemBot> {
    this.#known ??= this.#load();
    const bot = (await this.#known).get(email);
    if (bot === undefined) throw new Error(`There is no system bot ${email}`);
    return bot;
  }

  async #load(): Promise<ReadonlyMap<string, SystemBot>> {
    try {
      const bots = await this.bots.findOrCreate([notificationBot, welcomeBot]);
      return new Map(bots.map((bot) => [bot.email, bot]));
    } catch (error) {
      // The next to ask tries again.
      this.#known = undefined;
      throw error;
    }
  }
}
