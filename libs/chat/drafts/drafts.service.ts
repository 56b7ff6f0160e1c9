import { Injectable } from '@nestjs/common';
import { ChannelAccess, channelErrors, storedTopic } from '#chat/channels';
import { DestinationResolver } from '#chat/messages';
import { ApiError, type Caller, isRowId, limitErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import {
  type Draft,
  type DraftContent,
  DraftRepository,
  MAX_DRAFT_BYTES,
  MAX_DRAFTS,
} from './draft.repository.js';
import { draftErrors } from './drafts.errors.js';
import { DraftEvents } from './drafts.events.js';

/** A draft of a request; without a time it was edited now. */
interface DraftInput extends Omit<DraftContent, 'editedAt'> {
  readonly editedAt: Date | null;
}

/** The messages that users have not sent yet. A user reads and changes only their own drafts. */
@Injectable()
export class DraftsService {
  constructor(
    private readonly drafts: DraftRepository,
    private readonly events: DraftEvents,
    private readonly channelAccess: ChannelAccess,
    private readonly destinations: DestinationResolver,
    private readonly database: Database,
  ) {}

  /** The caller's drafts, the last edited one first. */
  async list(caller: Caller): Promise<Draft[]> {
    return this.drafts.list(caller.userId);
  }

  /**
   * Resolves with the ids of the new drafts, in the order of the list. Rejects with ApiError for a destination that the
   * caller cannot see, and with `accountLimitReached`.
   */
  async create(caller: Caller, given: readonly DraftInput[]): Promise<number[]> {
    const checked = await this.#check(caller, given);
    if (checked.length === 0) return [];
    return this.database.transaction(async (transaction) => {
      if (!(await this.drafts.hasRoomFor(transaction, caller.userId, checked.length))) {
        const details = { limit: MAX_DRAFTS, what: 'drafts' };
        throw new ApiError(limitErrors.accountLimitReached, details);
      }
      const created: Draft[] = [];
      for (const draft of checked) {
        created.push(await this.drafts.create(transaction, caller.userId, draft));
      }
      await this.#requireBytes(transaction, caller);
      this.events.added(transaction, caller, created);
      return created.map(({ id }) => id);
    });
  }

  /** Replaces a draft. Rejects with `draftDoesNotExist`, `accountLimitReached`, and with ApiError for the destination. */
  async edit(caller: Caller, draftId: number, given: DraftInput): Promise<void> {
    const [checked] = await this.#check(caller, [given]);
    if (checked === undefined) throw new Error('The check of a draft returned no draft');
    await this.database.transaction(async (transaction) => {
      const edited = await this.drafts.update(transaction, caller.userId, draftId, checked);
      if (edited === null) throw new ApiError(draftErrors.draftDoesNotExist);
      await this.#requireBytes(transaction, caller);
      this.events.edited(transaction, caller, edited);
    });
  }

  /** Rejects with `draftDoesNotExist`. */
  async remove(caller: Caller, draftId: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await this.drafts.delete(transaction, caller.userId, draftId))) {
        throw new ApiError(draftErrors.draftDoesNotExist);
      }
      this.events.removed(transaction, caller, draftId);
    });
  }

  async #requireBytes(transaction: Transaction, { userId }: Caller): Promise<void> {
    if (await this.drafts.haveBytes(transaction, userId)) return;
    const details = { limit: MAX_DRAFT_BYTES, what: 'bytes of drafts' };
    throw new ApiError(limitErrors.accountLimitReached, details);
  }

  /** Each destination is looked up once. */
  async #check(caller: Caller, given: readonly DraftInput[]): Promise<DraftContent[]> {
    const destinations = new Map<string, readonly number[]>();
    const checked: DraftContent[] = [];
    for (const draft of given) {
      const { kind, topic, content, editedAt } = draft;
      const key = JSON.stringify([kind, draft.to]);
      const to = destinations.get(key) ?? (await this.#destinationOf(caller, draft));
      destinations.set(key, to);
      checked.push({
        kind,
        to,
        topic: kind === 'stream' ? storedTopic(topic) : '',
        content,
        editedAt: editedAt ?? new Date(),
      });
    }
    return checked;
  }

  async #destinationOf(caller: Caller, { kind, to }: DraftInput): Promise<readonly number[]> {
    if (kind === '' || to.length === 0) {
      if (kind === 'stream') throw new ApiError(draftErrors.oneChannelForDraft);
      return [];
    }
    if (kind === 'private') {
      const place = await this.destinations.resolvePeople(caller, JSON.stringify(to));
      return 'userIds' in place ? place.userIds : [];
    }
    const [channelId = 0, ...others] = to;
    if (others.length > 0) throw new ApiError(draftErrors.oneChannelForDraft);
    if (!isRowId(channelId)) throw new ApiError(channelErrors.invalidChannelId);
    await this.channelAccess.require(caller, channelId, 'content');
    return [channelId];
  }
}
