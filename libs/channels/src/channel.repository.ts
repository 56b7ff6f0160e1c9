import { Injectable } from '@nestjs/common';
import { Database, type Prisma } from '#database';

/** A channel as its row has it. */
export type StoredChannel = Omit<ChannelRow, 'firstMessageId'> & {
  readonly firstMessageId: number | null;
};

type ChannelRow = Prisma.ChannelGetPayload<object>;

/** A channel with what ties one account to it. */
export interface ChannelForUser {
  readonly channel: StoredChannel;
  readonly isSubscribed: boolean;
}

/** What a statement selects of the table channels under the name `c`, under the names of StoredChannel. */
export const CHANNEL_COLUMNS = `
  c.id, c.realm_id AS "realmId", c.name, c.description, c.is_private AS "isPrivate",
  c.is_web_public AS "isWebPublic", c.is_default AS "isDefault",
  c.is_history_public AS "isHistoryPublic", c.message_retention_days AS "messageRetentionDays",
  c.topics_policy AS "topicsPolicy", c.folder_id AS "folderId", c.creator_id AS "creatorId",
  c.created_at AS "createdAt", c.archived_at AS "archivedAt", c.first_message_id::bigint AS "firstMessageId",
  c.can_add_subscribers_id AS "canAddSubscribersId",
  c.can_administer_channel_id AS "canAdministerChannelId",
  c.can_create_topic_id AS "canCreateTopicId",
  c.can_delete_any_message_id AS "canDeleteAnyMessageId",
  c.can_delete_own_message_id AS "canDeleteOwnMessageId",
  c.can_move_messages_out_id AS "canMoveMessagesOutId",
  c.can_move_messages_within_id AS "canMoveMessagesWithinId",
  c.can_remove_subscribers_id AS "canRemoveSubscribersId",
  c.can_resolve_topics_id AS "canResolveTopicsId", c.can_send_message_id AS "canSendMessageId",
  c.can_subscribe_id AS "canSubscribeId"`;

@Injectable()
export class ChannelRepository {
  constructor(private readonly database: Database) {}

  /** A channel of the organisation, and whether the account is subscribed to it; null when there is none. */
  async findForUser(
    realmId: number,
    channelId: number,
    userId: number,
  ): Promise<ChannelForUser | null> {
    const found = await this.database.prisma.channel.findFirst({
      where: { id: channelId, realmId },
      include: { subscriptions: { where: { userId, isActive: true }, select: { userId: true } } },
    });
    if (found === null) return null;
    const { subscriptions, firstMessageId: first, ...row } = found;
    const channel = { ...row, firstMessageId: first === null ? null : Number(first) };
    return { channel, isSubscribed: subscriptions.length > 0 };
  }
}
