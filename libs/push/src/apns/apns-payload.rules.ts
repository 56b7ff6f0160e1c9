import type { OutgoingPush } from '../transport/push-transport.js';

/** The JSON that goes to Apple. */
export interface ApnsPayload {
  readonly aps: {
    readonly alert: { readonly title: string; readonly body: string };
    readonly sound: 'default';
  };
  readonly zulip: Readonly<Record<string, string | number>>;
}

/** What an iOS device is sent: the alert that the system shows, and what the app reads. */
export function apnsPayload({ recipient, content }: OutgoingPush): ApnsPayload {
  const { realmName, realmUrl } = recipient;
  return {
    aps: {
      alert: {
        title: 'Test notification',
        body: `This is a test notification from ${realmName} (${realmUrl}).`,
      },
      sound: 'default',
    },
    zulip: {
      server: recipient.server,
      realm_id: recipient.realmId,
      realm_uri: realmUrl,
      realm_url: realmUrl,
      realm_name: realmName,
      user_id: recipient.userId,
      event: content.kind,
    },
  };
}
