import { Inject, Injectable, Optional } from '@nestjs/common';
import { NOTIFICATION_WISHES_HOOK, type NotificationWishesHook } from '#directory/settings';
import { EventLog } from '#events/log';
import { ApiError, type Caller, isRowId } from '#platform/contracts';
import { Database } from '#platform/database';
import { channelErrors } from '../channels.errors.js';
import { subscriptionEventType } from '../subscriptions/subscriptions.events.js';
import {
  type PropertyChange,
  SubscriptionSettingsRepository,
} from '../subscriptions/subscription-settings.repository.js';

/** The settings of a user for their channels. */
@Injectable()
export class SubscriptionSettingsService {
  constructor(
    private readonly settings: SubscriptionSettingsRepository,
    private readonly database: Database,
    private readonly log: EventLog,
    @Optional()
    @Inject(NOTIFICATION_WISHES_HOOK)
    private readonly wishes: NotificationWishesHook | null = null,
  ) {}

  /** Changes settings of the caller's subscriptions: all or none. Rejects with `notSubscribed`. */
  async change(caller: Caller, changes: readonly PropertyChange[]): Promise<void> {
    const { userId, realm } = caller;
    await this.database.transaction(async (transaction) => {
      const ids = [...new Set(changes.map(({ channelId }) => channelId))];
      const before = await this.settings.lock(transaction, userId, ids.filter(isRowId));
      const missing = ids.find((id) => !before.has(id));
      if (missing !== undefined) throw new ApiError(channelErrors.notSubscribed, { id: missing });
      const current = new Map([...before].map(([id, { values }]) => [id, { ...values }]));
      const events = changes.flatMap(({ channelId, property, value }) => {
        const values = current.get(channelId);
        if (values === undefined || values[property] === value) return [];
        values[property] = value;
        const marker = before.get(channelId)?.isArchived === true ? { is_archived: true } : {};
        return bodiesOf(channelId, property, value).map((body) => ({ ...body, ...marker }));
      });
      if (events.length === 0) return;
      await this.settings.store(transaction, userId, current);
      const audience = { userIds: [userId] };
      const { type } = subscriptionEventType;
      this.log.append(
        transaction,
        ...events.map((body) => ({ realmId: realm.id, type, body, audience })),
      );
      if (this.wishes === null || !changes.some(({ property }) => isWish(property))) return;
      await this.wishes.wishesChanged(transaction, userId);
    });
  }
}

/** The settings that decide which messages of a channel an account is notified of. */
const isWish = (property: string): boolean =>
  ['is_muted', 'push_notifications', 'wildcard_mentions_notify'].includes(property);

const bodiesOf = (channelId: number, property: string, value: string | boolean): object[] => {
  const body = { op: 'update', stream_id: channelId, property, value };
  return property === 'is_muted'
    ? [body, { ...body, property: 'in_home_view', value: value === false }]
    : [body];
};
