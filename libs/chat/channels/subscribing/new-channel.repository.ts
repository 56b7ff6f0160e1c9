import { Injectable } from '@nestjs/common';
import { lockAndCheckRoom, type Transaction } from '#platform/database';
import { type ChannelPermission, channelPermissions } from '../channel-permission-table.rules.js';
import { type ChannelProperties, propertyFields } from '../channel-property-table.rules.js';
import { CHANNEL_COLUMNS, columnOf, type StoredChannel } from '../channel.repository.js';

/** The values that new channels have in common. */
export interface ChannelTraits extends ChannelProperties {
  readonly isPrivate: boolean;
  readonly isWebPublic: boolean;
  readonly isHistoryPublic: boolean | null;
}

/** The name of a new channel, and its description in Markdown. */
export interface NewChannel {
  readonly name: string;
  readonly description: string;
}

const TRAITS = ['isPrivate', 'isWebPublic', 'isHistoryPublic', ...propertyFields] as const;
const FIRST_TRAIT = 5;
const FIRST_PERMISSION = FIRST_TRAIT + TRAITS.length;

const CREATE = `
  INSERT INTO channels AS c (
    realm_id, name, description, creator_id, ${[...TRAITS, ...channelPermissions].map(columnOf).join(', ')}
  )
  SELECT $1, given.name, given.description, $4,
    ${TRAITS.map((_, index) => `$${FIRST_TRAIT + index}`).join(', ')},
    ${channelPermissions.map((_, index) => `$${FIRST_PERMISSION + index}::int`).join(', ')}
  FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (name, description, place)
  ORDER BY given.place
  RETURNING ${CHANNEL_COLUMNS}`;

// The lock of the row keeps the folder from being archived before the channel is in it.
const HAS_FOLDER = `
  SELECT FROM channel_folders WHERE realm_id = $1 AND id = $2 AND archived_at IS NULL FOR SHARE`;

const channelsOfRealm = { table: 'channels', owner: 'realm_id' } as const;

/** Stores new channels. The names must be free, under the lock of `lockSubscriptions`. */
@Injectable()
export class NewChannelRepository {
  /** The channels in the order of their names in the request; null if the organisation would have more than `limit`. */
  async create(
    transaction: Transaction,
    { realmId, creatorId }: { readonly realmId: number; readonly creatorId: number },
    {
      channels,
      traits,
      permissions,
      limit,
    }: {
      readonly channels: readonly NewChannel[];
      readonly traits: ChannelTraits;
      readonly permissions: Readonly<Partial<Record<ChannelPermission, number>>>;
      readonly limit: number;
    },
  ): Promise<StoredChannel[] | null> {
    const room = limit - channels.length + 1;
    if (room < 1 || !(await lockAndCheckRoom(transaction, channelsOfRealm, realmId, room)))
      return null;
    return transaction.query<StoredChannel>('create_channels', CREATE, [
      realmId,
      channels.map(({ name }) => name),
      channels.map(({ description }) => description),
      creatorId,
      ...TRAITS.map((field) => traits[field]),
      ...channelPermissions.map((permission) => permissions[permission] ?? null),
    ]);
  }

  /** Whether the organisation has a folder that is not archived. */
  async hasFolder(transaction: Transaction, realmId: number, folderId: number): Promise<boolean> {
    const rows = await transaction.query('has_channel_folder', HAS_FOLDER, [realmId, folderId]);
    return rows.length > 0;
  }
}
