import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { type Clock, CLOCK } from '#core';
import { makeFileToken, openFileToken } from './file-token.rules.js';
import { type OpenedFile, OpenUpload } from './open-upload.js';

/** DI token of the key under which temporary addresses are signed. */
export const FILE_TOKEN_KEY = Symbol('FileTokenKey');

/** Makes and opens addresses by which a file can be read for a minute without signing in. */
@Injectable()
export class ShareUpload {
  constructor(
    private readonly openUpload: OpenUpload,
    @Inject(FILE_TOKEN_KEY) private readonly key: Buffer,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The address, from the server's root. Rejects with `fileDoesNotExist`. */
  async execute(caller: Caller, realmId: number, rest: string): Promise<string> {
    const file = await this.openUpload.execute(caller, realmId, rest);
    const token = makeFileToken(file.id, this.key, this.clock());
    return `/user_uploads/temporary/${token}/${nameIn(file)}`;
  }

  /** The file of such an address. Rejects with ApiError, also when it was removed meanwhile. */
  async open(token: string, name: string): Promise<OpenedFile> {
    const id = openFileToken(token, this.key, this.clock());
    if (id === null) throw new ApiError('invalidFileToken');
    const file = await this.openUpload.executeById(id);
    if (nameIn(file) !== name) throw new ApiError('invalidFileName');
    return file;
  }
}

const nameIn = ({ pathId }: OpenedFile): string => pathId.slice(pathId.lastIndexOf('/') + 1);
