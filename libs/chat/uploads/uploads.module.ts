import path from 'node:path';
import { type DynamicModule, Module } from '@nestjs/common';
import { AttachmentsModule } from '#chat/attachments';
import { MessagesModule } from '#chat/messages';
import { EXTERNAL_URL } from '#directory/auth';
import { deriveKey } from '#platform/core';
import { API_PREFIX, FreeSpace } from '#platform/http';
import { AttachmentRepository } from './attachment.repository.js';
import { AttachmentsService } from './attachments.service.js';
import { RemovedFileRepository } from './removed-file.repository.js';
import { FILE_STORAGE } from './storage/file-storage.js';
import { openFileStorage } from './storage/open-file-storage.js';
import type { S3Options } from './storage/s3-file-storage.js';
import { FILE_TOKEN_KEY, TemporaryLinks } from './temporary-links.js';
import {
  RESUMABLE_UPLOAD_OPTIONS,
  type ResumableUploadOptions,
  ResumableUploads,
} from './tus/resumable-uploads.js';
import { UploadReservationRepository } from './tus/upload-reservation.repository.js';
import { UPLOAD_IDLE_LIMIT_MS, UploadReservations } from './tus/upload-reservations.js';
import { UnclaimedUploadsCleaner } from './unclaimed-uploads-cleaner.js';
import { OwnFilesService } from './own-files.service.js';
import { UploadsService } from './uploads.service.js';

/** The settings of uploads. */
interface UploadsOptions {
  readonly folder: string;
  readonly limitMib: number;
  /** The time without data after which an unfinished upload expires. */
  readonly unfinishedMs: number;
  /** The space that must stay free on the disk. */
  readonly leastFreeMib: number;
  /** Null for files in the folder. */
  readonly s3: S3Options | null;
  /** The key that signs temporary addresses is derived from it. */
  readonly secret: Buffer;
}

/** Uploaded files. Other capabilities store their files in its FILE_STORAGE, each with its own key prefix. */
@Module({})
export class UploadsModule {
  static with(options: UploadsOptions): DynamicModule {
    const { folder, limitMib, unfinishedMs, leastFreeMib, s3, secret } = options;
    const resumable = (externalUrl: URL): ResumableUploadOptions => ({
      folder: path.join(folder, 'unfinished'),
      path: `${API_PREFIX}/tus`,
      limitMib,
      idleLimitMs: unfinishedMs,
      externalUrl,
    });
    return {
      module: UploadsModule,
      global: true,
      imports: [AttachmentsModule, MessagesModule],
      providers: [
        { provide: FILE_STORAGE, useFactory: () => openFileStorage({ folder, s3 }) },
        { provide: FILE_TOKEN_KEY, useFactory: () => deriveKey(secret, 'file tokens') },
        { provide: RESUMABLE_UPLOAD_OPTIONS, useFactory: resumable, inject: [EXTERNAL_URL] },
        { provide: FreeSpace, useFactory: () => new FreeSpace({ folder, leastFreeMib }) },
        { provide: UPLOAD_IDLE_LIMIT_MS, useValue: unfinishedMs },
        AttachmentRepository,
        AttachmentsService,
        OwnFilesService,
        RemovedFileRepository,
        UploadsService,
        UnclaimedUploadsCleaner,
        ResumableUploads,
        TemporaryLinks,
        UploadReservationRepository,
        UploadReservations,
      ],
      exports: [
        FILE_STORAGE,
        OwnFilesService,
        RemovedFileRepository,
        UploadsService,
        TemporaryLinks,
      ],
    };
  }
}
