import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { mapInSlices } from '#platform/core';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { toChannelFolderResponse } from './channel-folders.response.js';
import {
  changeChannelFolder,
  createChannelFolder,
  listChannelFolders,
  reorderChannelFolders,
} from './channel-folders.schema.js';
import { ChannelFoldersService } from './channel-folders.service.js';

@Controller()
export class ChannelFoldersController {
  constructor(private readonly folders: ChannelFoldersService) {}

  @Endpoint(listChannelFolders)
  async list(
    @SignedIn() caller: Caller,
    @Parameters() { include_archived }: ParametersOf<typeof listChannelFolders>,
  ) {
    const folders = await this.folders.list(caller, include_archived);
    return { channel_folders: await mapInSlices(folders, toChannelFolderResponse) };
  }

  @Endpoint(createChannelFolder)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() { name, description }: ParametersOf<typeof createChannelFolder>,
  ) {
    return { channel_folder_id: await this.folders.create(caller, { name, description }) };
  }

  @Endpoint(changeChannelFolder)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() given: ParametersOf<typeof changeChannelFolder>,
  ) {
    const { name, description, is_archived: isArchived } = given;
    await this.folders.change(caller, given.channel_folder_id, { name, description, isArchived });
  }

  @Endpoint(reorderChannelFolders)
  async reorder(
    @SignedIn() caller: Caller,
    @Parameters() { order }: ParametersOf<typeof reorderChannelFolders>,
  ) {
    await this.folders.reorder(caller, order);
  }
}
