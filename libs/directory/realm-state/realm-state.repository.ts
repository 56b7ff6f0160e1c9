import { Injectable } from '@nestjs/common';
import { type RealmPermission, realmPermissionColumns } from '#directory/groups';
import type { Session } from '#platform/database';

/** The stored organisation in the answer to clients. */
export interface RealmState extends Readonly<Record<RealmPermission, number | null>> {
  readonly subdomain: string;
  readonly name: string;
  /** Markdown. */
  readonly description: string;
  readonly createdAt: Date;
  readonly isPresenceDisabled: boolean;
  readonly requiresEncryptedPush: boolean;
  /** Whether changes of channels are told in them. */
  readonly sendsChannelEvents: boolean;
  readonly waitingPeriodDays: number;
  /** Null for unlimited. */
  readonly messageRetentionDays: number | null;
  /** `allow_empty_topic` or `disable_empty_topic`. */
  readonly topicsPolicy: string;
  /** Null without a quota. */
  readonly uploadQuotaMib: number | null;
  /** The channel for reports; null where reports cannot be sent. */
  readonly moderationChannelId: number | null;
  /** The channel for announcements of new channels, if any. */
  readonly announcementChannelId: number | null;
}

// An archived channel gets no reports and no announcements.
const SELECT = `
  SELECT r.subdomain, r.name, r.description, r.created_at AS "createdAt",
    r.is_presence_disabled AS "isPresenceDisabled",
    r.requires_encrypted_push AS "requiresEncryptedPush", r.sends_channel_events AS "sendsChannelEvents", r.waiting_period_days AS "waitingPeriodDays",
    r.message_retention_days AS "messageRetentionDays", r.topics_policy AS "topicsPolicy", r.upload_quota_mib AS "uploadQuotaMib",
    c.id AS "moderationChannelId", a.id AS "announcementChannelId",
    ${Object.entries(realmPermissionColumns)
      .map(([name, column]) => `r.${column} AS ${name}`)
      .join(', ')}
  FROM realms r
  LEFT JOIN channels c
    ON c.id = r.moderation_channel_id AND c.realm_id = r.id AND c.archived_at IS NULL
  LEFT JOIN channels a
    ON a.id = r.announcement_channel_id AND a.realm_id = r.id AND a.archived_at IS NULL
  WHERE r.id = $1`;

/** Reads the state of organisations that `/register` shows. */
@Injectable()
export class RealmStateRepository {
  /** Rejects for an unknown organisation; the organisation of a caller exists. */
  async read(realmId: number, session: Session): Promise<RealmState> {
    const [realm] = await session.query<RealmState>('realm_state', SELECT, [realmId]);
    if (realm === undefined) throw new Error(`There is no organisation ${realmId}`);
    return realm;
  }
}
