import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, limitErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { channelErrors } from '../channels.errors.js';
import {
  type ChannelFolder,
  ChannelFolderRepository,
  type FolderEdit,
  MAX_FOLDERS,
} from './channel-folder.repository.js';
import { channelFolderErrors } from './channel-folders.errors.js';
import { ChannelFolderEvents } from './channel-folders.events.js';
import { checkedFolderName } from './folder-name.rules.js';

/** The folders in which clients show channels. Every account sees all folders of its organisation. */
@Injectable()
export class ChannelFoldersService {
  constructor(
    private readonly folders: ChannelFolderRepository,
    private readonly events: ChannelFolderEvents,
    private readonly database: Database,
  ) {}

  /** The folders of the caller's organisation in their order. */
  async list({ realm }: Caller, includesArchived: boolean): Promise<ChannelFolder[]> {
    const folders = await this.folders.list(realm.id);
    return folders.filter(({ isArchived }) => includesArchived || !isArchived);
  }

  /** Resolves with the id of the new folder, the last one. Rejects with ApiError for its name, and for too many folders. */
  async create(
    { userId, realm }: Caller,
    given: { readonly name: string; readonly description: string },
  ): Promise<number> {
    const name = checkedFolderName(given.name);
    return this.database.transaction(async (transaction) => {
      if (!(await this.folders.lockAndCheckRoom(transaction, realm.id))) {
        const details = { limit: MAX_FOLDERS, what: 'channel folders' };
        throw new ApiError(limitErrors.organizationLimitReached, details);
      }
      await this.#requireFree(transaction, realm.id, name, null);
      const creator = { userId, realmId: realm.id };
      const folder = await this.folders.create(transaction, creator, { ...given, name });
      this.events.created(transaction, realm.id, folder);
      return folder.id;
    });
  }

  /** Rejects with `invalidFolder`, with ApiError for the name, and with `folderHasChannels`. */
  async change({ realm }: Caller, folderId: number, given: FolderEdit): Promise<void> {
    const name = given.name === undefined ? undefined : checkedFolderName(given.name);
    await this.database.transaction(async (transaction) => {
      await this.folders.lock(transaction, realm.id);
      const before = await this.folders.find(transaction, realm.id, folderId);
      if (before === null) throw new ApiError(channelErrors.invalidFolder);
      const isArchived = given.isArchived ?? before.isArchived;
      const isRenamed = name !== undefined && name !== before.name;
      if (!isArchived && (isRenamed || before.isArchived)) {
        await this.#requireFree(transaction, realm.id, name ?? before.name, folderId);
      }
      if (isArchived && (await this.folders.hasChannels(transaction, folderId))) {
        throw new ApiError(channelFolderErrors.folderHasChannels);
      }
      const edit = { ...given, name };
      const after = await this.folders.update(transaction, realm.id, folderId, edit);
      this.events.changed(transaction, realm.id, before, after);
    });
  }

  /** Puts the folders into an order. Rejects with `invalidFolderOrder` for a list without each folder exactly once. */
  async reorder({ realm }: Caller, order: readonly number[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.folders.lock(transaction, realm.id);
      const ids = (await this.folders.list(realm.id, transaction)).map(({ id }) => id);
      const given = new Set(order);
      if (order.length !== ids.length || ids.some((id) => !given.has(id))) {
        throw new ApiError(channelFolderErrors.invalidFolderOrder);
      }
      if (ids.every((id, index) => id === order[index])) return;
      await this.folders.reorder(transaction, realm.id, order);
      this.events.reordered(transaction, realm.id, order);
    });
  }

  async #requireFree(
    transaction: Transaction,
    realmId: number,
    name: string,
    exceptId: number | null,
  ): Promise<void> {
    if (await this.folders.isTaken(transaction, realmId, name, exceptId)) {
      throw new ApiError(channelFolderErrors.folderNameTaken);
    }
  }
}
