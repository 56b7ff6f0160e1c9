import { type Delivery, type Fields, fieldsOf } from './delivery.js';

/** The appearance of a delivery on a phone. */
interface Appearance {
  /** `removal` removes messages from the screen; `silent` shows nothing. */
  readonly kind: 'alert' | 'encrypted' | 'removal' | 'silent';
  readonly title: string;
  readonly subtitle: string;
  readonly body: string;
  /** The ids of its chat messages. */
  readonly messageIds: readonly string[];
  /** The ids of earlier messages that it removes from the screen. */
  readonly closes: readonly string[];
  /** The account of the app that it is for; empty if it names none. */
  readonly account: string;
  /** For an encrypted notification: who can read it. */
  readonly note: string;
  /** A later notification with the same key replaces this one; null: none does. */
  readonly collapseKey: string | null;
}

/** Derives the appearance from the rules of iOS, Android and the chat's app. */
export function appearanceOf(
  delivery: Pick<Delivery, 'platform' | 'headers' | 'payload' | 'decrypted'>,
): Appearance {
  const payload = fieldsOf(delivery.payload);
  const collapseKey = delivery.headers['apns-collapse-id'] ?? null;
  if (delivery.decrypted !== null) {
    const content = fieldsOf(delivery.decrypted);
    if (delivery.platform === 'web') return inBrowser(content, delivery.headers);
    return { ...asDecrypted(content), account: accountOf(content), collapseKey };
  }
  if (delivery.platform === 'apns') {
    const app = appFieldsOf(payload);
    return { ...onApple(payload, app), account: accountOf(app), collapseKey };
  }
  const message = fieldsOf(payload['message']);
  const data = fieldsOf(message['data']);
  return { ...onAndroid(message, data), account: accountOf(data) };
}

/** The worker of the page shows it, each message once by a tag, and closes those of messages that were read elsewhere. */
function inBrowser(
  { read_message_ids: read, ...content }: Fields,
  { topic = '' }: Delivery['headers'],
): Appearance {
  const closes = Array.isArray(read) ? read.map(String) : [];
  const base = asDecrypted(content, 'Encrypted for this browser');
  const account = accountOf(content);
  const [messageId] = base.messageIds;
  const tag = messageId === undefined ? topic : `${account} ${messageId}`;
  return { ...base, account, closes, collapseKey: tag === '' ? null : tag };
}

/** The app decrypts the notification, and shows it itself. */
function asDecrypted(content: Fields, note = 'Encrypted for this phone'): Appearance {
  const messageIds = messageIdsOf(content);
  switch (content['type']) {
    case 'test':
      return {
        ...shown({ title: 'Test notification', body: originOf(content) }),
        kind: 'encrypted',
        note,
      };
    case 'message': {
      const place = { ...content, stream: content['channel_name'] };
      const words = { ...conversationOf(place), body: textOf(content['content']) };
      return { ...shown({ ...words, messageIds }), kind: 'encrypted', note };
    }
    case 'remove':
      return removal(messageIds);
    case 'confirm':
      return { ...silent, title: 'Asks for the confirmation of the subscription' };
    default:
      return silent;
  }
}

/** iOS always shows `aps.alert`. */
function onApple(payload: Fields, app: Fields): Appearance {
  const alert = fieldsOf(payload['aps'])['alert'];
  const words = typeof alert === 'string' ? { body: alert } : fieldsOf(alert);
  const messageIds = messageIdsOf(app);
  if (textOf(app['event']) === 'remove') return removal(messageIds);
  if (alert === undefined) return silent;
  return {
    ...silent,
    ...('encrypted_data' in payload ? sealed : { kind: 'alert', note: '' }),
    title: textOf(words['title']),
    subtitle: textOf(words['subtitle']),
    body: textOf(words['body']),
    messageIds,
  };
}

/** Android shows a `notification`; the app handles messages with `data` only. */
function onAndroid(message: Fields, data: Fields): Appearance {
  const messageIds = messageIdsOf(data);
  if ('notification' in message) {
    const { title, body } = fieldsOf(message['notification']);
    return shown({ title: textOf(title), body: textOf(body), messageIds });
  }
  if ('encrypted_data' in data) return { ...shown({ title: 'New notification' }), ...sealed };
  switch (data['event']) {
    case 'test':
      return shown({ title: 'Test notification', body: originOf(data) });
    case 'message':
      return shown({ ...conversationOf(data), body: textOf(data['content']), messageIds });
    case 'remove':
      return removal(messageIds);
    default:
      return silent;
  }
}

const sealed = { kind: 'encrypted', note: 'Only the phone can read it' } as const;

const silent: Appearance = {
  kind: 'silent',
  title: 'Silent notification',
  subtitle: '',
  body: '',
  messageIds: [],
  closes: [],
  account: '',
  note: '',
  collapseKey: null,
};

function shown(parts: Partial<Appearance>): Appearance {
  return { ...silent, kind: 'alert', title: '', ...parts };
}

function removal(messageIds: readonly string[]): Appearance {
  const what = messageIds.length === 1 ? 'a message' : `${messageIds.length} messages`;
  return { ...silent, kind: 'removal', title: `Clears ${what}`, messageIds };
}

function conversationOf(data: Fields): { title: string; subtitle: string } {
  const sender = textOf(data['sender_full_name']);
  if (typeof data['stream'] === 'string') {
    return { title: `#${data['stream']} > ${textOf(data['topic'])}`, subtitle: sender };
  }
  return { title: sender, subtitle: 'pm_users' in data ? 'to a group' : '' };
}

function originOf(data: Fields): string {
  const name = textOf(data['realm_name']);
  const url = textOf(data['realm_url']);
  return name === '' ? url : `This is a test notification from ${name} (${url}).`;
}

/** Accounts of several organisations may share a phone. */
function accountOf(fields: Fields): string {
  const { realm_url: url, user_id: id } = fields;
  return id === undefined ? '' : `${textOf(url)}/#user/${String(id)}`;
}

/** The app's part of an APNs payload: the object beside `aps`. */
function appFieldsOf({ aps: _aps, ...others }: Fields): Fields {
  return fieldsOf(Object.values(others).find((value) => typeof value === 'object'));
}

/** Ids are a list of numbers or a comma-separated text. */
function messageIdsOf(fields: Fields): string[] {
  const entries = Object.entries(fields).filter(([name]) => /message_ids?$/.test(name));
  const ids = entries.flatMap(([, value]) =>
    Array.isArray(value) ? value.map(String) : String(value).split(','),
  );
  return [...new Set(ids)];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
