import { Injectable } from '@nestjs/common';
import { EmojiResolver } from '#chat/emoji';
import { SettingsService } from '#directory/settings';
import { UserAccess } from '#directory/users';
import type { Caller } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { refuseEmptyRequest, requestedEmoji, type StatusRequest } from './status-request.rules.js';
import {
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
  async get(caller: Caller, userId: number): Promise<VisibleStatus> {
    const user = await this.access.requireVisible(caller, userId);
    return { ...(await this.statuses.find(user.id)), isAway: !user.isPresenceEnabled };
  }

  /**
   * Changes the caller's own status. Throws ApiError, before anything has changed, for an empty request and for an
   * invalid emoji.
   */
  async changeOwn(
    caller: Caller,
    { isAway, ...request }: StatusRequest & { readonly isAway?: boolean | undefined },
  ): Promise<void> {
    refuseEmptyRequest(request, { hasOther: isAway !== undefined });
    const change = await this.#resolve(caller.realm.id, request);
    const sharing = isAway === undefined ? {} : { presence_enabled: !isAway };
    await this.database.transaction(async (transaction) => {
      await this.settings.change(transaction, caller, sharing);
      if (change.text !== undefined || change.emoji !== undefined) {
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
