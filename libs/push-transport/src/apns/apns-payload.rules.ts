import {
  fitted,
  type MessageContent,
  messageFields,
  subtitleOf,
  titleOf,
} from '../transport/message-fields.rules.js';
import type { OutgoingPush, Recipient } from '../transport/push-transport.js';

type AppFields = Readonly<Record<string, string | number | readonly number[]>>;

/** The JSON that goes to Apple: what the system does with it, and what the app reads. */
export interface ApnsPayload {
  readonly aps: {
    readonly alert?: { readonly title: string; readonly subtitle?: string; readonly body: string };
    readonly sound?: 'default';
    readonly badge?: 0;
    readonly 'content-available'?: 1;
  };
  readonly zulip: AppFields;
}

/** How Apple is to treat a notification. */
export interface ApnsUrgency {
  readonly pushType: 'alert' | 'background';
  readonly priority: 10 | 5;
}

/** What an iOS device is sent. */
export function apnsPayload({
  recipient,
  content,
}: Pick<OutgoingPush, 'recipient' | 'content'>): ApnsPayload {
  switch (content.kind) {
    case 'test':
      return testPayload(recipient);
    case 'message':
      return fitted(content.message.text, (body) => messagePayload(recipient, content, body));
    case 'remove':
      return {
        // Wakes the app, which alone can take single notifications from the screen.
        aps: { badge: 0, 'content-available': 1 },
        zulip: {
          ...baseOf(recipient),
          event: 'remove',
          zulip_message_ids: content.messageIds.join(','),
        },
      };
  }
}

/** An alert is shown at once; what shows nothing may wait for a good moment of the phone. */
export const apnsUrgency = ({ content }: Pick<OutgoingPush, 'content'>): ApnsUrgency =>
  content.kind === 'remove'
    ? { pushType: 'background', priority: 5 }
    : { pushType: 'alert', priority: 10 };

const messagePayload = (
  recipient: Recipient,
  content: MessageContent,
  body: string,
): ApnsPayload => ({
  aps: {
    alert: { title: titleOf(content.message), subtitle: subtitleOf(content), body },
    sound: 'default',
    badge: 0,
  },
  zulip: {
    ...baseOf(recipient),
    ...messageFields(content),
    message_ids: [content.message.id],
  },
});

const testPayload = (recipient: Recipient): ApnsPayload => ({
  aps: {
    alert: {
      title: 'Test notification',
      body: `This is a test notification from ${recipient.realmName} (${recipient.realmUrl}).`,
    },
    sound: 'default',
  },
  zulip: {
    server: recipient.server,
    realm_id: recipient.realmId,
    ...baseOf(recipient),
    event: 'test',
  },
});

const baseOf = ({ realmName, realmUrl, userId }: Recipient) => ({
  realm_uri: realmUrl,
  realm_url: realmUrl,
  realm_name: realmName,
  user_id: userId,
});
