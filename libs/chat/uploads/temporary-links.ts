import { Inject, Injectable, Optional } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { type Clock, systemClock } from '#platform/core';
import { uploadErrors } from './uploads.errors.js';
import { makeFileToken, openFileToken } from './uploads.rules.js';
import { type FileContent, UploadsService } from './uploads.service.js';

/** DI token of the key that signs temporary addresses. */
export const FILE_TOKEN_KEY = Symbol('FileTokenKey');

/** Creates and opens temporary addresses, at which a file can be read for a minute without a sign-in. */
@Injectable()
export class TemporaryLinks {
  constructor(
    private readonly uploads: UploadsService,
    @Inject(FILE_TOKEN_KEY) private readonly key: Buffer,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** The temporary address of a file, from the server's root. Rejects with `fileDoesNotExist`. */
  async create(caller: Caller, realmId: number, rest: string): Promise<string> {
    const file = await this.uploads.open(caller, realmId, rest);
    const token = makeFileToken(file.id, this.key, this.clock());
    return `/user_uploads/temporary/${token}/${fileNameOf(file)}`;
  }

  /** The file of a temporary address. Rejects with ApiError, also when the file has been removed. */
  async open(token: string, name: string): Promise<FileContent> {
    const id = openFileToken(token, this.key, this.clock());
    if (id === null) throw new ApiError(uploadErrors.invalidFileToken);
    const file = await this.uploads.openById(id);
    if (fileNameOf(file) !== name) throw new ApiError(uploadErrors.invalidFileName);
    return file;
  }
}

const fileNameOf = ({ pathId }: FileContent): string => pathId.slice(pathId.lastIndexOf('/') + 1);
