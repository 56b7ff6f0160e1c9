import { Injectable } from '@nestjs/common';
import {
  Database,
  lockAndCheckRoom,
  lockList,
  queryRow,
  type Session,
  type Transaction,
} from '#platform/database';

/** A named group of channels. */
export interface ChannelFolder {
  readonly id: number;
  readonly name: string;
  /** Markdown. */
  readonly description: string;
  readonly place: number;
  readonly creatorId: number | null;
  readonly createdAt: Date;
  readonly isArchived: boolean;
}

/** The new properties of a folder; missing members stay unchanged. */
export interface FolderEdit {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly isArchived?: boolean | undefined;
}

/** The folders of an organisation, archived ones included: far above what clients can show. */
export const MAX_FOLDERS = 1000;

const COLUMNS = `id, name, description, place, creator_id AS "creatorId", created_at AS "createdAt",
  archived_at IS NOT NULL AS "isArchived"`;

// An operator may have stored more.
const LIST = `SELECT ${COLUMNS} FROM channel_folders WHERE realm_id = $1 ORDER BY place, id LIMIT 10000`;

const CREATE = `
  INSERT INTO channel_folders (realm_id, name, description, creator_id, place)
  SELECT $1, $2, $3, $4, coalesce(max(place) + 1, 0) FROM channel_folders WHERE realm_id = $1
  RETURNING ${COLUMNS}`;

// The lock of the row waits for channels that are being put into the folder; see HAS_FOLDER of NewChannelRepository.
const LOCK = `
  SELECT ${COLUMNS} FROM channel_folders WHERE realm_id = $1 AND id = $2 FOR NO KEY UPDATE`;

const UPDATE = `
  UPDATE channel_folders SET name = coalesce($3, name), description = coalesce($4, description),
    archived_at = CASE WHEN $5 THEN coalesce(archived_at, now()) WHEN NOT $5 THEN NULL ELSE archived_at END
  WHERE realm_id = $1 AND id = $2
  RETURNING ${COLUMNS}`;

const IS_TAKEN = `
  SELECT FROM channel_folders
  WHERE realm_id = $1 AND name_key(name) = name_key($2) AND archived_at IS NULL AND id IS DISTINCT FROM $3 LIMIT 1`;

const HAS_CHANNELS = `SELECT FROM channels WHERE folder_id = $1 AND archived_at IS NULL LIMIT 1`;

const REORDER = `
  UPDATE channel_folders folder SET place = given.place - 1
  FROM unnest($2::int[]) WITH ORDINALITY AS given (id, place)
  WHERE folder.realm_id = $1 AND folder.id = given.id`;

const foldersOfRealm = { table: 'channel_folders', owner: 'realm_id' } as const;

/** The folders of channels. Changes of the folders of an organisation run one after the other, under its lock. */
@Injectable()
export class ChannelFolderRepository {
  constructor(private readonly database: Database) {}

  /** The folders of an organisation, including archived ones, in their order. */
  async list(realmId: number, session: Session = this.database): Promise<ChannelFolder[]> {
    return session.query<ChannelFolder>('channel_folders', LIST, [realmId]);
  }

  /** Blocks other changes of the folders of an organisation until the end of the transaction. */
  async lock(transaction: Transaction, realmId: number): Promise<void> {
    await lockList(transaction, foldersOfRealm, realmId);
  }

  /** Whether the organisation may have one more folder. Takes the lock of its folders. */
  async lockAndCheckRoom(transaction: Transaction, realmId: number): Promise<boolean> {
    return lockAndCheckRoom(transaction, foldersOfRealm, realmId, MAX_FOLDERS);
  }

  /** Adds a folder behind the others. */
  async create(
    transaction: Transaction,
    { userId, realmId }: { readonly userId: number; readonly realmId: number },
    { name, description }: { readonly name: string; readonly description: string },
  ): Promise<ChannelFolder> {
    const values = [realmId, name, description, userId];
    return queryRow<ChannelFolder>(transaction, 'create_channel_folder', CREATE, values);
  }

  /** A folder, which no channel can be put into until the end of the transaction; null for an unknown one. */
  async find(
    transaction: Transaction,
    realmId: number,
    folderId: number,
  ): Promise<ChannelFolder | null> {
    const values = [realmId, folderId];
    const [row] = await transaction.query<ChannelFolder>('lock_channel_folder', LOCK, values);
    return row ?? null;
  }

  /** Whether an active folder other than the given one has a name or one with the same key. */
  async isTaken(
    transaction: Transaction,
    realmId: number,
    name: string,
    exceptId: number | null,
  ): Promise<boolean> {
    const values = [realmId, name, exceptId];
    return (await transaction.query('is_folder_name_taken', IS_TAKEN, values)).length > 0;
  }

  /** Whether active channels are in a folder. */
  async hasChannels(transaction: Transaction, folderId: number): Promise<boolean> {
    return (await transaction.query('folder_has_channels', HAS_CHANNELS, [folderId])).length > 0;
  }

  /** Changes an existing folder, and resolves with it. */
  async update(
    transaction: Transaction,
    realmId: number,
    folderId: number,
    edit: FolderEdit,
  ): Promise<ChannelFolder> {
    const { name = null, description = null, isArchived = null } = edit;
    const values = [realmId, folderId, name, description, isArchived];
    return queryRow<ChannelFolder>(transaction, 'update_channel_folder', UPDATE, values);
  }

  /** Puts the folders of an organisation into the order of the ids. */
  async reorder(transaction: Transaction, realmId: number, ids: readonly number[]): Promise<void> {
    await transaction.query('reorder_channel_folders', REORDER, [realmId, ids]);
  }
}
