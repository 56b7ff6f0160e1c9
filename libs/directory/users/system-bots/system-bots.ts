import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Session } from '#platform/database';
import type { User } from '../user.repository.js';
import { SystemBotRepository } from './system-bot.repository.js';

/** An account that sends messages for the server. */
interface SystemBot {
  readonly id: number;
  readonly fullName: string;
  readonly email: string;
}

const notificationBot = {
  fullName: 'Notification Bot',
  email: 'notification-bot@system.invalid',
} as const;
const welcomeBot = { fullName: 'Welcome Bot', email: 'welcome-bot@system.invalid' } as const;
const wanted = [notificationBot, welcomeBot];

/**
 * The accounts that send messages for the server in all organisations. They are created at the first start, or on first
 * use if PostgreSQL does not answer then. Nobody can sign in as a system bot.
 */
@Injectable()
export class SystemBots implements OnApplicationBootstrap {
  #bots: Promise<ReadonlyMap<string, User>> | undefined;

  constructor(private readonly repository: SystemBotRepository) {}

  /**
   * Begins to load the bots before the first request: transactions that use them would each wait for a second connection,
   * and as many of them as the pool has connections would wait for each other.
   */
  onApplicationBootstrap(): void {
    this.#all().catch(() => undefined);
  }

  /** Sends notifications, for example about a report to the moderators. */
  notificationBot(): Promise<SystemBot> {
    return this.#bot(notificationBot.email);
  }

  /** Sends the welcome message to new accounts. */
  welcomeBot(): Promise<SystemBot> {
    return this.#bot(welcomeBot.email);
  }

  /**
   * All system bots in the order of their ids. They are read through the session; ones that it does not see yet are
   * created first, so that every later session sees them too.
   */
  async list(session: Session): Promise<User[]> {
    const found = await this.repository.list(
      wanted.map(({ email }) => email),
      session,
    );
    return found.length === wanted.length ? found : [...(await this.#all()).values()];
  }

  async #bot(email: string): Promise<SystemBot> {
    const bot = (await this.#all()).get(email);
    if (bot === undefined) throw new Error(`System bot ${email} is missing`);
    return bot;
  }

  #all(): Promise<ReadonlyMap<string, User>> {
    this.#bots ??= this.#load();
    return this.#bots;
  }

  async #load(): Promise<ReadonlyMap<string, User>> {
    try {
      const bots = await this.repository.findOrCreate(wanted);
      return new Map(bots.map((bot) => [bot.email, bot]));
    } catch (error) {
      // The next call tries again.
      this.#bots = undefined;
      throw error;
    }
  }
}
