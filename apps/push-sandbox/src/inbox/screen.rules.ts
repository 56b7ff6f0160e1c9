import { comparableToken } from '../provider/platform.js';
import { appearanceOf } from './appearance.rules.js';
import type { Delivery } from './delivery.js';

/** A notification on a screen. */
interface ScreenNotification {
  /** The newest delivery that shows it. */
  readonly delivery_id: number;
  /** `encrypted`: only the phone can read it, and then the other members are empty or general. */
  readonly kind: 'alert' | 'encrypted';
  readonly account: string;
  readonly message_ids: readonly string[];
  readonly title: string;
  readonly body: string;
  readonly collapse_id: string | null;
}

/** A message of the chat on a screen. */
interface ScreenMessage {
  readonly account: string;
  readonly message_id: string;
  /** How often the screen shows it. */
  readonly copies: number;
}

/** The screen of a phone, in the form of the control API. */
export interface Screen {
  readonly platform: Delivery['platform'];
  readonly token: string;
  /** The oldest first. */
  readonly notifications: readonly ScreenNotification[];
  readonly messages: readonly ScreenMessage[];
}

/**
 * The screens of the phones after deliveries, the oldest first. On an iPhone a notification replaces the one with the same
 * collapse id. On Android the app shows one for each push that it receives. A removal clears the messages that it names
 * for its account. A browser shows each message once, and closes those that a later one names as read.
 */
export function screensOf(deliveries: Iterable<Delivery>): Screen[] {
  const phones = new Map<string, Phone>();
  for (const delivery of deliveries) {
    const { platform, shown } = delivery;
    if (!shown) continue;
    const token = comparableToken(platform, delivery.token);
    const key = `${platform} ${token}`;
    const phone = phones.get(key) ?? { platform, token, shown: [] };
    phones.set(key, phone);
    phone.shown = afterDelivery(phone.shown, delivery);
  }
  return Array.from(phones.values(), ({ platform, token, shown }) => ({
    platform,
    token,
    notifications: shown,
    messages: messagesOf(shown),
  }));
}

interface Phone extends Pick<Screen, 'platform' | 'token'> {
  shown: ScreenNotification[];
}

function afterDelivery(shown: ScreenNotification[], delivery: Delivery): ScreenNotification[] {
  const appearance = appearanceOf(delivery);
  const { kind, account, messageIds, title, body, collapseKey } = appearance;
  if (kind === 'silent') return shown;
  const gone = kind === 'removal' ? messageIds : appearance.closes;
  const isGone = (one: ScreenNotification): boolean =>
    one.account === account && one.message_ids.some((id) => gone.includes(id));
  const left = shown.filter((one) => !isGone(one));
  if (kind === 'removal') return left;
  const added = {
    delivery_id: delivery.id,
    kind,
    account,
    message_ids: messageIds,
    title,
    body,
    collapse_id: collapseKey,
  };
  return [...left.filter(({ collapse_id: id }) => id === null || id !== collapseKey), added];
}

function messagesOf(shown: readonly ScreenNotification[]): ScreenMessage[] {
  const messages = new Map<string, ScreenMessage>();
  for (const { account, message_ids: ids } of shown) {
    for (const id of ids) {
      const key = `${account} ${id}`;
      const copies = (messages.get(key)?.copies ?? 0) + 1;
      messages.set(key, { account, message_id: id, copies });
    }
  }
  return [...messages.values()];
}
