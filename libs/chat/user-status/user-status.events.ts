import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import type { Audience, NewEvent } from '#events/log';
import { AccountAudience } from '#directory/guest-access';
import { type VisibilityHook, UserAccess } from '#directory/users';
import type { Transaction } from '#platform/database';
import { noEmoji, type StatusChange, UserStatusRepository } from './user-status.repository.js';
import { toStatusResponse } from './user-status.response.js';

/**
 * The statuses of `POST /register`, and the events of their changes. All accounts that may see the user get them. The
 * setting `presence_enabled` is a part of a status too; its events are in libs/directory/settings.
 */
@Injectable()
@DeclaresEvents()
export class UserStatusEvents implements CapabilityEvents, VisibilityHook {
  readonly types = [{ type: 'user_status' }];
  readonly fetchTypes = ['user_status'];

  constructor(
    private readonly statuses: UserStatusRepository,
    private readonly access: UserAccess,
    private readonly audience: AccountAudience,
  ) {}

  async readState({ caller, snapshot, share }: StateRequest) {
    const visible = await this.access.visibleIds(caller, snapshot);
    const read = async () => {
      const ids = visible === null ? null : [...visible];
      const statuses = await this.statuses.list(snapshot, caller.realm.id, ids);
      const entries = statuses.map((status) => [String(status.userId), toStatusResponse(status)]);
      return { user_status: Object.fromEntries(entries) as Record<string, object> };
    };
    if (visible !== null) return read();
    // The statement reads all accounts, of which few may have a status. Deactivated accounts have none.
    const changedBy = ['user_status', 'realm_user'];
    return share({ key: 'statuses', changedBy, isCostly: true, read });
  }

  async shown(
    transaction: Transaction,
    realmId: number,
    audiences: ReadonlyMap<number, Audience>,
  ): Promise<NewEvent[]> {
    if (audiences.size === 0) return [];
    const statuses = await this.statuses.list(transaction, realmId, [...audiences.keys()]);
    return statuses.map((status) => {
      const { userId } = status;
      const body = { user_id: userId, ...toStatusResponse(status) };
      const audience = audiences.get(userId) ?? { userIds: [] };
      return { realmId, type: 'user_status', body, audience };
    });
  }

  /** Adds the event of a changed status; none if no part has another value. */
  async changed(
    transaction: Transaction,
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
    { text, emoji }: StatusChange,
  ): Promise<void> {
    if (text === undefined && emoji === undefined) return;
    const { name, code, type } = emoji ?? noEmoji;
    const body = {
      user_id: userId,
      ...(text !== undefined && { status_text: text ?? '' }),
      ...(emoji !== undefined && { emoji_name: name, emoji_code: code, reaction_type: type }),
    };
    await this.audience.append(transaction, { realmId, userIds: [userId] }, (hidden) => {
      const audience = { everyone: 'all', exceptIds: hidden.get(userId) ?? [] } as const;
      return [{ realmId, type: 'user_status', body, audience }];
    });
  }
}
