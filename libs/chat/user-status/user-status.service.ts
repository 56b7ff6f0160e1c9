import { Injectable } from '@nestjs/common';
import { EmojiResolver } from '#chat/emoji';
import { SettingsService } from '#directory/settings';
import { UserAccess } from '#directory/users';
import type { Caller } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import {
  refuseEmptyRequest,
  refuseInvalidEnd,
  requestedEmoji,
  type StatusEnd,
  type StatusRequest,
} from './status-request.rules.js';
import {
  type EndingStatus,
  type StatusChange,
  type VisibleStatus,
  UserStatusRepository,
} from './user-status.repository.js';
import { UserStatusEvents } from './user-status.events.js';

/** The status that a user sets beside their name. */
@Injectable()
export class UserStatusService {
  constructor(
    private readonly access: UserAccess,
    private readonly statuses: UserStatusRepository,
    private readonly settings: SettingsService,
    private readonly emoji: EmojiResolver,
    private readonly database: Database,
    private readonly events: UserStatusEvents,
  ) {}

  /** The status of a user. Throws `noSuchUser` for a user that the caller cannot see. */
  async get(caller: Caller, userId: number): Promise<VisibleStatus & EndingStatus> {
    const user = await this.access.requireVisible(caller, userId);
    return { ...(await this.statuses.find(user.id)), isAway: !user.isPresenceEnabled };
  }

  /**
   * Changes the caller's own status. Throws ApiError, before anything has changed, for an empty request, an invalid end and an
   * invalid emoji.
   */
  async changeOwn(
    caller: Caller,
    {
      isAway,
      expiresAt,
      pausesPush,
      ...request
    }: StatusRequest & StatusEnd & { readonly isAway?: boolean | undefined },
  ): Promise<void> {
    refuseEmptyRequest(request, { hasOther: isAway !== undefined || expiresAt !== undefined });
    refuseInvalidEnd({ expiresAt, pausesPush }, Date.now() / 1000);
    const change = {
      ...(await this.#resolve(caller.realm.id, request)),
      ...(expiresAt !== undefined && { endsAt: expiresAt === 0 ? null : expiresAt }),
    };
    const settings = {
      ...(isAway !== undefined && { presence_enabled: !isAway }),
      ...(pausesPush === true && { push_snoozed_until: expiresAt }),
    };
    await this.database.transaction(async (transaction) => {
      await this.settings.change(transaction, caller, settings);
      if (Object.keys(change).length > 0) {
        await this.#change(transaction, caller.realm.id, caller.userId, change);
      }
    });
  }

  /**
   * Changes another user's status, as an administrator. Throws ApiError for a user that the caller cannot change, and
   * then for an empty request and for an invalid emoji.
   */
  async changeOther(caller: Caller, userId: number, request: StatusRequest): Promise<void> {
    const user = await this.access.requireAdministrable(caller, userId);
    refuseEmptyRequest(request, { hasOther: false });
    const change = await this.#resolve(caller.realm.id, request);
    await this.database.transaction((transaction) =>
      this.#change(transaction, caller.realm.id, user.id, change),
    );
  }

  /** Removes a status whose end has come, with the event of it. */
  async expire({
    realmId,
    userId,
  }: {
    readonly realmId: number;
    readonly userId: number;
  }): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const removed = await this.statuses.expire(transaction, userId);
      await this.events.changed(transaction, { realmId, userId }, removed);
    });
  }

  async #change(
    transaction: Transaction,
    realmId: number,
    userId: number,
    change: StatusChange,
  ): Promise<void> {
    const changed = await this.statuses.change(transaction, userId, change);
    await this.events.changed(transaction, { realmId, userId }, changed);
  }

  /**
   * Resolves the emoji of a request. Throws ApiError for an emoji without a name, and for an unknown emoji.
   */
  async #resolve(realmId: number, request: StatusRequest): Promise<StatusChange> {
    const choice = requestedEmoji(request);
    const emoji = choice ? await this.emoji.resolve(realmId, choice) : choice;
    return {
      ...(request.text !== undefined && { text: request.text === '' ? null : request.text }),
      ...(emoji !== undefined && { emoji }),
    };
  }
}
