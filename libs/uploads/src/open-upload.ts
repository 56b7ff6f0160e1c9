import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import type { ByteRange } from '#edge';
import { CheckFileAccess } from '#messages';
import { type Attachment, AttachmentRepository } from './attachment.repository.js';
import { FILE_STORAGE, FileMissing, type FileStorage } from './storage/file-storage.js';

/** A file that may be read. */
export interface OpenedFile extends Attachment {
  /** Its bytes, or some of them. Rejects with `fileDoesNotExist` when they are gone. */
  read(range: ByteRange | null): Promise<Readable>;
}

/** Finds an uploaded file for somebody who may read it. */
@Injectable()
export class OpenUpload {
  constructor(
    private readonly attachments: AttachmentRepository,
    private readonly access: CheckFileAccess,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
  ) {}

  /**
   * The file of a link below `/user_uploads/`, for its owner and for those who read a message that links
   * it. To anybody else there is none: rejects with `fileDoesNotExist`.
   */
  async execute(caller: Caller, realmId: number, rest: string): Promise<OpenedFile> {
    const pathId = `${realmId}/${rest}`;
    const file =
      realmId === caller.realm.id && !pathId.includes('\0')
        ? await this.attachments.findByPath(realmId, pathId)
        : null;
    if (file === null || !(await this.#mayRead(caller, file))) {
      throw new ApiError('fileDoesNotExist');
    }
    return this.#opened(file);
  }

  /** A file that somebody else was let read. Rejects with `fileDoesNotExist` when it is gone. */
  async executeById(attachmentId: number): Promise<OpenedFile> {
    const file = await this.attachments.find(attachmentId);
    if (file === null) throw new ApiError('fileDoesNotExist');
    return this.#opened(file);
  }

  async #mayRead(caller: Caller, file: Attachment): Promise<boolean> {
    return file.ownerId === caller.userId || this.access.execute(caller, file.id);
  }

  #opened(file: Attachment): OpenedFile {
    const read = async (range: ByteRange | null) => {
      try {
        return await this.storage.read(file.pathId, range);
      } catch (error) {
        throw error instanceof FileMissing ? new ApiError('fileDoesNotExist') : error;
      }
    };
    return { ...file, read };
  }
}
