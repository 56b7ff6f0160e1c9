import { Injectable } from '@nestjs/common';
import type { ChangedSetting, GivenSettings, SettingsHook } from '#directory/settings';
import { EventLog, type NewEvent } from '#events/log';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { lockSubscriptions } from './subscribing/subscription-lock.js';
import { SubscriptionSettingsRepository } from './subscribing/subscription-settings.repository.js';
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

  async changing(transaction: Transaction, { realm }: Caller, given: GivenSettings): Promise<void> {
    if (names.every((name) => given[name] === undefined)) return;
    // The event of a new subscription has the settings of the account.
    await lockSubscriptions(transaction, realm.id);
  }

  changed(
    transaction: Transaction,
    { userId, realm }: Caller,
    changed: readonly ChangedSetting[],
  ): void {
    const inherited = names.flatMap((name) => {
      const change = changed.find(({ property }) => property === name);
      return change === undefined
        ? []
        : [{ property: inheritedSettings[name], value: change.value }];
    });
    if (inherited.length === 0) return;
    // Late: a subscription may get an own value at the same time.
    const read = async (late: Transaction) => {
      const properties = inherited.map(({ property }) => property);
      const inheriting = await this.subscriptions.inheriting(late, userId, properties);
      return inherited.flatMap(({ property, value }) =>
        inheriting
          .filter((one) => one.property === property)
          .flatMap(({ isArchived, channelIds }) =>
            pagesOf(channelIds).map((stream_ids): NewEvent => {
              const marker = isArchived ? { is_archived: true } : {};
              const body = { op: INHERITS, stream_ids, property, value, ...marker };
              const { type } = subscriptionEventType;
              return { realmId: realm.id, type, body, audience: { userIds: [userId] } };
            }),
          ),
      );
    };
    this.log.append(transaction, { realmId: realm.id, read });
  }
}

const pagesOf = (ids: readonly number[]): (readonly number[])[] =>
  Array.from({ length: Math.ceil(ids.length / MAX_SUBSCRIPTIONS) }, (_, page) =>
    ids.slice(page * MAX_SUBSCRIPTIONS, (page + 1) * MAX_SUBSCRIPTIONS),
  );
