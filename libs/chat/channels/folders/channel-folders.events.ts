import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import { mapInSlices } from '#platform/core';
import type { Transaction } from '#platform/database';
import { type ChannelFolder, ChannelFolderRepository } from './channel-folder.repository.js';
import { toChannelFolderResponse } from './channel-folders.response.js';

type Change =
  | { readonly op: 'add'; readonly channel_folder: object }
  | { readonly op: 'update'; readonly channel_folder_id: number; readonly data: object }
  | { readonly op: 'reorder'; readonly order: readonly number[] };

/** The folders of channels of `POST /register`, and the events of their changes. All accounts of the organisation get them. */
@Injectable()
@DeclaresEvents()
export class ChannelFolderEvents implements CapabilityEvents {
  readonly types = [{ type: 'channel_folder' }];
  readonly fetchTypes = ['channel_folders'];

  constructor(
    private readonly folders: ChannelFolderRepository,
    private readonly log: EventLog,
  ) {}

  async readState({ caller, snapshot }: StateRequest) {
    const folders = await this.folders.list(caller.realm.id, snapshot);
    return { channel_folders: await mapInSlices(folders, toChannelFolderResponse) };
  }

  /** Adds the event of a new folder. */
  created(transaction: Transaction, realmId: number, folder: ChannelFolder): void {
    const body = { op: 'add', channel_folder: toChannelFolderResponse(folder) } as const;
    this.#append(transaction, realmId, body);
  }

  /** Adds the event of the changes of a folder; none without a change. */
  changed(
    transaction: Transaction,
    realmId: number,
    before: ChannelFolder,
    after: ChannelFolder,
  ): void {
    const [old, shown] = [toChannelFolderResponse(before), toChannelFolderResponse(after)];
    const isNew = (name: keyof typeof shown) => shown[name] !== old[name];
    const data = {
      ...(isNew('name') && { name: shown.name }),
      ...(isNew('description') && {
        description: shown.description,
        rendered_description: shown.rendered_description,
      }),
      ...(isNew('is_archived') && { is_archived: shown.is_archived }),
    };
    if (Object.keys(data).length === 0) return;
    this.#append(transaction, realmId, { op: 'update', channel_folder_id: after.id, data });
  }

  /** Adds the event of a new order. */
  reordered(transaction: Transaction, realmId: number, order: readonly number[]): void {
    this.#append(transaction, realmId, { op: 'reorder', order });
  }

  #append(transaction: Transaction, realmId: number, body: Change): void {
    const audience = { everyone: 'all' } as const;
    this.log.append(transaction, { realmId, type: 'channel_folder', body, audience });
  }
}
