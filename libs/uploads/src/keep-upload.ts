import { randomBytes, randomInt } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits } from '#contracts';
import { AttachmentRepository } from './attachment.repository.js';
import { FreeSpace } from './free-space.js';
import { FILE_STORAGE, type FileStorage } from './storage/file-storage.js';
import { contentTypeOf, shownName, urlName } from './upload-name.rules.js';

/** A file on local disk, as its uploader describes it. */
export interface Upload {
  readonly path: string;
  readonly fileName: string;
  /** Null where the client did not say. */
  readonly contentType: string | null;
  readonly sizeBytes: number;
  /** The characters that its link may have. */
  readonly alphabet: 'unicode' | 'ascii';
  /** The reservation that its room was taken with, where there is one. */
  readonly reservationId?: string;
}

/** A file that is kept. */
export interface KeptFile {
  /** Its link, from the server's root. */
  readonly url: string;
  readonly fileName: string;
}

/** Bytes; 24 characters of a link, which so cannot be guessed. */
const TOKEN_BYTES = 18;

/** Keeps a file that has been uploaded, whichever way it came. */
@Injectable()
export class KeepUpload {
  readonly #logger = new Logger(KeepUpload.name);

  constructor(
    private readonly attachments: AttachmentRepository,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'files'>,
    private readonly freeSpace: FreeSpace,
  ) {}

  /**
   * Rejects with `uploadQuotaExceeded`, `accountLimitReached` or `insufficientStorage`. The row comes before the file: a crash between the two leaves a
   * row without one, which is removed as unclaimed, and not a file that nobody knows of.
   */
  async execute(caller: Caller, upload: Upload): Promise<KeptFile> {
    await this.freeSpace.check();
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
    const id = await this.attachments.add(file, limit);
    if (id === 'no room') throw new ApiError('uploadQuotaExceeded');
    if (id === 'list is full') throw new ApiError('accountLimitReached', { limit, what: 'files' });
    try {
      await this.storage.store(pathId, { path: upload.path, contentType });
    } catch (error) {
      await this.#giveUp(id);
      throw error;
    }
    return { url: `/user_uploads/${pathId}`, fileName };
  }

  #newPath(caller: Caller, name: string): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const folder = this.storage.isFolder ? `${randomInt(256).toString(16).padStart(2, '0')}/` : '';
    return `${caller.realm.id}/${folder}${token}/${name}`;
  }

  async #giveUp(id: number): Promise<void> {
    await this.attachments.remove(id).catch((error: unknown) => {
      this.#logger.warn(`The room of a file that was not kept is still taken: ${String(error)}`);
    });
  }
}
