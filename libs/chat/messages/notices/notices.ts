import { Injectable, Logger } from '@nestjs/common';
import { AccountRepository } from '#directory/auth';
import { SystemBots } from '#directory/users';
import { ApiError, type Caller } from '#platform/contracts';
import { errorText, LeasedTask, PeriodicService } from '#platform/core';
import type { Transaction } from '#platform/database';
import { silentUserMention } from '#platform/markdown';
import { MessageSender } from '../sending/message-sender.js';
import { type Notice, NoticeRepository, type NoticeRow } from './notice.repository.js';

const PERIOD_MS = 1000;

/** In place of a name. */
const UNKNOWN = 'Unknown user';

/** The notices that a process takes at once. */
const BATCH = 20;

/** Longer than sending the notices of most changes takes. After it, another process sends those of one that died. */
const LEASE_MS = 30_000;

/** Sends notices after the commit of their transaction. Never rejects: a notice that was not sent is tried again. */
export type SendNotices = () => Promise<void>;

/** Another process has sent the notice. */
class AlreadySent extends Error {}

/**
 * The notices of the server about changes, as messages of the Notification Bot. They are stored in the transaction of the
 * change, and sent by the process that has made it. If that process dies, any gateway sends them. The transaction that
 * stores the message deletes the notice, so that it is sent once.
 */
@Injectable()
export class Notices extends PeriodicService {
  readonly #logger = new Logger(Notices.name);
  protected readonly task = new LeasedTask<NoticeRow>({
    periodMs: PERIOD_MS,
    batch: BATCH,
    lease: (most) => this.notices.lease(most, LEASE_MS),
    handle: (due) => this.#sendAll(due),
    failure: 'Notices were not sent',
    logger: this.#logger,
  });

  constructor(
    private readonly notices: NoticeRepository,
    private readonly sender: MessageSender,
    private readonly systemBots: SystemBots,
    private readonly accounts: AccountRepository,
  ) {
    super();
  }

  /**
   * Stores the notices of a change by the caller: at most four statements. The result sends them, one after the other.
   * `noticesOf` gets a mention of the caller, in Markdown; a substitute for notices whose readers may be guests who cannot
   * see the caller.
   */
  async add(
    transaction: Transaction,
    caller: Caller,
    noticesOf: (by: string) => readonly Notice[],
  ): Promise<SendNotices> {
    const { userId } = caller;
    const { areGuestsLimited, ...actor } = await this.notices.actor(transaction, userId);
    const named = noticesOf(silentUserMention(actor));
    const notices = areGuestsLimited
      ? await this.#withoutHidden(transaction, userId, { named, unnamed: noticesOf(UNKNOWN) })
      : named;
    if (notices.length === 0) return () => Promise.resolve();
    const stored = await this.notices.add(transaction, userId, notices, LEASE_MS);
    return async () => {
      for (const notice of stored) await this.#send(caller, notice);
    };
  }

  /** In a channel, guests see the caller only if it is subscribed. */
  async #withoutHidden(
    transaction: Transaction,
    userId: number,
    { named, unnamed }: Record<'named' | 'unnamed', readonly Notice[]>,
  ): Promise<readonly Notice[]> {
    const isSeenIn = await this.notices.placesSeeing(
      transaction,
      userId,
      named.map(({ place }) => place),
    );
    return named.map((notice, index) => (isSeenIn[index] ? notice : (unnamed[index] ?? notice)));
  }

  async #sendAll(due: readonly NoticeRow[]): Promise<void> {
    for (const notice of due) {
      if (this.task.isStopping) return;
      const caller = await this.accounts.findActor(notice.userId);
      // Nothing is sent in a deactivated organisation.
      if (caller === null) await this.notices.remove(notice.id);
      else await this.#send(caller, notice);
    }
  }

  async #send(caller: Caller, { id, ...notice }: NoticeRow): Promise<void> {
    try {
      const bot = await this.systemBots.notificationBot();
      await this.sender.sendAsServer({
        senderId: bot.id,
        onBehalfOf: caller,
        place: notice.place,
        content: notice.content,
        isSilent: notice.isSilent,
        readBy: caller.userId,
        isForFollowers: notice.isForFollowers,
        beforeStore: async (transaction) => {
          if (!(await this.notices.remove(id, transaction))) throw new AlreadySent();
        },
      });
    } catch (error) {
      if (!(error instanceof AlreadySent)) await this.#failed(id, error);
    }
  }

  /** A notice that was refused, for example into a channel that has been archived, will never be sent. */
  async #failed(id: number, error: unknown): Promise<void> {
    const isRefused = error instanceof ApiError && error.error.status < 500;
    const outcome = isRefused ? 'is given up' : 'waits';
    this.#logger.warn(`The notice ${id} ${outcome}: ${errorText(error)}`);
    if (!isRefused) return;
    await this.notices.remove(id).catch((failure: unknown) => {
      this.#logger.warn(`The notice ${id} was not removed: ${errorText(failure)}`);
    });
  }
}
