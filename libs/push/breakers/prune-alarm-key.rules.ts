import type { Platform } from '#push/jobs';

/** An app whose tokens are watched. */
export interface WatchedApp {
  readonly platform: Platform;
  /** The APNs topic; null for FCM. */
  readonly appId: string | null;
  /** The server that registered the tokens at the push service; null for the devices of this installation. */
  readonly serverId: number | null;
}

const OF_SERVER = ' of server ';

/** The name of an app in alarms, reports and metrics: `apns:org.example.chat`, `fcm`, `fcm:fcm of server 5`. */
export function pruneAlarmKey({ platform, appId, serverId }: WatchedApp): string {
  if (serverId !== null) return `${platform}:${appId ?? platform}${OF_SERVER}${serverId}`;
  return appId === null ? platform : `${platform}:${appId}`;
}

/** Whether an alarm with this key is about the app, in this installation or at a server. */
export const isAlarmOfApp = (
  key: string,
  { platform, appId }: Omit<WatchedApp, 'serverId'>,
): boolean =>
  key === pruneAlarmKey({ platform, appId, serverId: null }) ||
  key.startsWith(`${platform}:${appId ?? platform}${OF_SERVER}`);
