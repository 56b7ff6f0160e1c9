import { Inject, Injectable, Optional } from '@nestjs/common';
import { EventLog, type NewEvent, signedOut } from '#events/log';
import { UserGroupEvents } from '#directory/groups';
import { AccountAudience, VisibleUsersRepository } from '#directory/guest-access';
import type { Transaction } from '#platform/database';
import {
  ACTIVATION_HOOK,
  type ActivationChange,
  type ActivationHook,
  VISIBILITY_HOOK,
  type VisibilityHook,
} from './account-hooks.js';
import { toOwnBot } from './own-bot.response.js';
import type { User } from './user.repository.js';
import { toAddedUser } from './user.response.js';

/**
 * Adds the events of accounts. Everyone gets them but the guests that cannot see the account; those get only the
 * substitute of a new account.
 */
@Injectable()
export class UserEvents {
  constructor(
    private readonly log: EventLog,
    private readonly visible: VisibleUsersRepository,
    private readonly audience: AccountAudience,
    private readonly groups: UserGroupEvents,
    @Optional()
    @Inject(ACTIVATION_HOOK)
    private readonly activationHook: ActivationHook | null = null,
    @Optional()
    @Inject(VISIBILITY_HOOK)
    private readonly visibilityHook: VisibilityHook | null = null,
  ) {}

  /**
   * Adds the events of a new account, then those of `addRows`, which adds the rows of the account in other tables. The
   * audience depends on these rows: guests may see an account that shares a channel with them.
   */
  async added(transaction: Transaction, user: User, addRows: () => Promise<void>): Promise<void> {
    const { realmId, id } = user;
    const accounts = { realmId, userIds: [id] };
    await this.audience.append(transaction, accounts, async (hidden, late) => {
      const guestIds = hidden.get(id) ?? [];
      const person = toAddedUser(user, new Map());
      const added = accountEvent(realmId, { op: 'add', person }, guestIds);
      return guestIds.length === 0
        ? [added]
        : [added, await this.#substitute(late, user, guestIds)];
    });
    await this.groups.accountsJoined(transaction, realmId, [id]);
    this.#addBot(transaction, user);
    await addRows();
  }

  #addBot(transaction: Transaction, { id, realmId, botOwnerId }: User): void {
    if (botOwnerId === null) return;
    this.log.append(transaction, {
      realmId,
      type: 'realm_bot',
      body: { op: 'add', bot: toOwnBot(id) },
      audience: { userIds: [botOwnerId] },
    });
  }

  async #substitute(
    transaction: Transaction,
    { id, realmId }: User,
    guestIds: readonly number[],
  ): Promise<NewEvent> {
    const subdomain = await this.visible.subdomainOf(realmId, transaction);
    const body = { op: 'add', substitute: { user_id: id, subdomain } };
    return { realmId, type: 'realm_user', body, audience: { userIds: guestIds } };
  }

  /** Adds an event for each update: the new values of an account. */
  async updated(
    transaction: Transaction,
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
    ...updates: readonly Readonly<Record<string, unknown>>[]
  ): Promise<void> {
    await this.audience.append(transaction, { realmId, userIds: [userId] }, (hidden) =>
      updates.map((update) => {
        const body = { op: 'update', person: { user_id: userId, ...update } };
        return accountEvent(realmId, body, hidden.get(userId));
      }),
    );
  }

  /**
   * Adds the events of deactivated or reactivated accounts, and ends the held polls of deactivated ones. Clients remove
   * deactivated accounts from groups themselves.
   */
  async activationChanged(transaction: Transaction, change: ActivationChange): Promise<void> {
    const { realmId, userIds, isActive } = change;
    // Its events come first: clients do not find the accounts after those of the deactivation.
    if (!isActive) await this.activationHook?.activationChanged(transaction, change);
    await this.audience.append(transaction, { realmId, userIds }, async (hidden, late) => [
      ...userIds.map((userId) => {
        const body = { op: 'update', person: { user_id: userId, is_active: isActive } };
        return accountEvent(realmId, body, hidden.get(userId));
      }),
      ...(isActive ? [] : await this.groups.hiddenAccountsLeft(late, realmId, hidden)),
    ]);
    if (isActive) await this.groups.accountsJoined(transaction, realmId, userIds);
    await this.groups.holdersChanged(transaction, realmId, userIds);
    if (isActive) {
      await this.activationHook?.activationChanged(transaction, change);
      this.#addShown(transaction, change);
      return;
    }
    const signOuts = userIds.map((userId) =>
      signedOut(realmId, userId, { reason: 'deactivation' }),
    );
    this.log.append(transaction, ...signOuts);
  }

  /** Adds the data about reactivated accounts, which clients do not have. Late: it may change at the same time. */
  #addShown(transaction: Transaction, { realmId, userIds }: ActivationChange): void {
    const read = async (late: Transaction) => {
      const hidden = await this.visible.guestsNotSeeing(realmId, userIds, late);
      const audiences = new Map(
        userIds.map((id) => [id, { everyone: 'all', exceptIds: hidden.get(id) ?? [] } as const]),
      );
      return (await this.visibilityHook?.shown(late, realmId, audiences)) ?? [];
    };
    this.log.append(transaction, { realmId, read });
  }
}

const accountEvent = (
  realmId: number,
  body: object,
  exceptIds: readonly number[] = [],
): NewEvent => ({ realmId, type: 'realm_user', body, audience: { everyone: 'all', exceptIds } });
