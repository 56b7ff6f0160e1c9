import { randomBytes, randomInt } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { MessageAccess } from '#chat/messages';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import type { ByteRange } from '#platform/http';
import { type Attachment, AttachmentRepository } from './attachment.repository.js';
import { AttachmentsService } from './attachments.service.js';
import { FILE_STORAGE, FileMissing, type FileStorage } from './storage/file-storage.js';
import { uploadErrors } from './uploads.errors.js';
import { contentTypeOf, shownName, urlName } from './uploads.rules.js';

/** An uploaded file on local disk, as the uploader describes it. */
interface Upload {
  readonly path: string;
  readonly fileName: string;
  /** Null when the client sent none. */
  readonly contentType: string | null;
  readonly sizeBytes: number;
  /** The characters allowed in its link. */
  readonly alphabet: 'unicode' | 'ascii';
  /** The reservation of its space in the quota, if any. */
  readonly reservationId?: string;
}

/** A stored file. */
interface FileAddress {
  /** Its link, from the server's root. */
  readonly url: string;
  readonly fileName: string;
}

/** Bytes; 24 characters of the link, so that it cannot be guessed. */
const TOKEN_BYTES = 18;

/** A file that the caller may read. */
export interface FileContent extends Attachment {
  /** All its bytes or a range of them. Rejects with `fileDoesNotExist` when they are gone. */
  read(range: ByteRange | null): Promise<Readable>;
}

/** Stores uploaded files, and opens them for accounts that may read them. */
@Injectable()
export class UploadsService {
  readonly #logger = new Logger(UploadsService.name);
  constructor(
    private readonly attachments: AttachmentRepository,
    private readonly rows: AttachmentsService,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'files'>,
    private readonly messageAccess: MessageAccess,
  ) {}

  /**
   * Stores an uploaded file, from a form or from a resumable upload. Rejects with `uploadQuotaExceeded` or
   * `accountLimitReached`. The row is written before the file: a crash between the two leaves a row without a file,
   * which is removed as unclaimed, and never a file without a row.
   */
  async store(caller: Caller, upload: Upload): Promise<FileAddress> {
    const fileName = shownName(upload.fileName);
    const contentType = contentTypeOf(fileName, upload.contentType);
    const pathId = this.#newPath(caller, urlName(upload.fileName, upload.alphabet));
    const file = {
      realmId: caller.realm.id,
      ownerId: caller.userId,
      pathId,
      fileName,
      contentType,
      sizeBytes: upload.sizeBytes,
      reservationId: upload.reservationId ?? null,
    };
    const limit = this.limits.files;
    const id = await this.rows.add(file, limit);
    if (id === 'quota exceeded') throw new ApiError(uploadErrors.uploadQuotaExceeded);
    if (id === 'list is full') {
      throw new ApiError(limitErrors.accountLimitReached, { limit, what: 'files' });
    }
    try {
      await this.storage.store(pathId, { path: upload.path, contentType });
    } catch (error) {
      await this.#removeRow(id);
      throw error;
    }
    return { url: `/user_uploads/${pathId}`, fileName };
  }

  #newPath(caller: Caller, name: string): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const folder = this.storage.isFolder ? `${randomInt(256).toString(16).padStart(2, '0')}/` : '';
    return `${caller.realm.id}/${folder}${token}/${name}`;
  }

  async #removeRow(id: number): Promise<void> {
    await this.rows.remove(id).catch((error: unknown) => {
      this.#logger.warn(
        `The quota of a file that was not stored was not returned: ${String(error)}`,
      );
    });
  }

  /**
   * The file of a link below `/user_uploads/`, for its owner and for readers of a message that links it. Rejects with
   * `fileDoesNotExist` for all others.
   */
  async open(caller: Caller, realmId: number, rest: string): Promise<FileContent> {
    const pathId = `${realmId}/${rest}`;
    const file =
      realmId === caller.realm.id && !pathId.includes('\0')
        ? await this.attachments.findByPath(realmId, pathId)
        : null;
    if (file === null || !(await this.#mayRead(caller, file))) {
      throw new ApiError(uploadErrors.fileDoesNotExist);
    }
    return this.#opened(file);
  }

  /** A file by its id, without a check of permissions. Rejects with `fileDoesNotExist`. */
  async openById(attachmentId: number): Promise<FileContent> {
    const file = await this.attachments.find(attachmentId);
    if (file === null) throw new ApiError(uploadErrors.fileDoesNotExist);
    return this.#opened(file);
  }

  async #mayRead(caller: Caller, file: Attachment): Promise<boolean> {
    return file.ownerId === caller.userId || this.messageAccess.mayReadLinkedFile(caller, file.id);
  }

  #opened(file: Attachment): FileContent {
    const read = async (range: ByteRange | null) => {
      try {
        return await this.storage.read(file.pathId, range);
      } catch (error) {
        throw error instanceof FileMissing ? new ApiError(uploadErrors.fileDoesNotExist) : error;
      }
    };
    return { ...file, read };
  }
}
