import { Injectable } from '@nestjs/common';
import type { SettingUpdate, SettingsInput, SettingsHook } from '#directory/settings';
import { EventLog, type NewEvent } from '#events/log';
import type { Transaction } from '#platform/database';
import { lockSubscriptions } from './subscription-lock.js';
import { SubscriptionSettingsRepository } from './subscription-settings.repository.js';
import type { SubscriptionProperty } from './subscription-property-table.rules.js';
import { inheritedSettings, INHERITS, subscriptionEventType } from './subscriptions.events.js';

/** The subscriptions of one event: a queue gets an event for each. */
const MAX_SUBSCRIPTIONS = 1000;

const names = Object.keys(inheritedSettings) as (keyof typeof inheritedSettings)[];

/** Events for older clients: subscriptions without an own value show them the settings of the account. */
@Injectable()
export class InheritedSettingsEvents implements SettingsHook {
  constructor(
    private readonly subscriptions: SubscriptionSettingsRepository,
    private readonly log: EventLog,
  ) {}

  async changing(transaction: Transaction, realmId: number, given: SettingsInput): Promise<void> {
    if (names.every((name) => given[name] === undefined)) return;
    // The event of a new subscription has the settings of the account.
    await lockSubscriptions(transaction, realmId);
  }

  changed(
    transaction: Transaction,
    realmId: number,
    changes: ReadonlyMap<number, readonly SettingUpdate[]>,
  ): void {
    const values = new Map(
      [...changes].flatMap(([userId, changed]) => {
        const inherited = inheritedOf(changed);
        return inherited.size === 0 ? [] : [[userId, inherited] as const];
      }),
    );
    if (values.size === 0) return;
    // Late: a subscription may get an own value at the same time.
    const read = async (late: Transaction) => {
      const properties = [...new Set([...values.values()].flatMap((one) => [...one.keys()]))];
      const inheriting = await this.subscriptions.inheriting(late, [...values.keys()], properties);
      return inheriting.flatMap(({ userId, property, isArchived, channelIds }) => {
        const value = values.get(userId)?.get(property);
        if (value === undefined) return [];
        return pagesOf(channelIds).map((stream_ids): NewEvent => {
          const marker = isArchived ? { is_archived: true } : {};
          const body = { op: INHERITS, stream_ids, property, value, ...marker };
          return {
            realmId,
            type: subscriptionEventType.type,
            body,
            audience: { userIds: [userId] },
          };
        });
      });
    };
    this.log.append(transaction, { realmId, read });
  }
}

/** The new values of inherited settings, by the properties of subscriptions. */
const inheritedOf = (changed: readonly SettingUpdate[]) =>
  new Map<SubscriptionProperty, SettingUpdate['value']>(
    names.flatMap((name) => {
      const change = changed.find(({ property }) => property === name);
      return change === undefined ? [] : [[inheritedSettings[name], change.value] as const];
    }),
  );

const pagesOf = (ids: readonly number[]): (readonly number[])[] =>
  Array.from({ length: Math.ceil(ids.length / MAX_SUBSCRIPTIONS) }, (_, page) =>
    ids.slice(page * MAX_SUBSCRIPTIONS, (page + 1) * MAX_SUBSCRIPTIONS),
  );
