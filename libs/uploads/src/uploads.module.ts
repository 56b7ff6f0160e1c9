import path from 'node:path';
import { type DynamicModule, Module } from '@nestjs/common';
import { EXTERNAL_URL } from '#auth';
import { CLOCK, deriveKey, systemClock } from '#core';
import { API_PREFIX } from '#edge';
import { MessagesModule } from '#messages';
import { AttachmentRepository } from './attachment.repository.js';
import { FREE_SPACE_OPTIONS, FreeSpace } from './free-space.js';
import { KeepUpload } from './keep-upload.js';
import { OpenUpload } from './open-upload.js';
import { RemoveUnclaimedUploads } from './remove-unclaimed-uploads.js';
import { FILE_TOKEN_KEY, ShareUpload } from './share-upload.js';
import { FILE_STORAGE } from './storage/file-storage.js';
import { openFileStorage } from './storage/open-file-storage.js';
import type { S3Options } from './storage/s3-file-storage.js';
import {
  RESUMABLE_UPLOAD_OPTIONS,
  type ResumableUploadOptions,
  ResumableUploads,
} from './tus/resumable-uploads.js';
import { UploadReservationRepository } from './tus/upload-reservation.repository.js';
import { UPLOAD_SILENCE_MS, UploadRoom } from './tus/upload-room.js';

/** Where the uploads of a program are. */
export interface UploadsOptions {
  readonly folder: string;
  readonly limitMib: number;
  /** How long an unfinished upload may be silent. */
  readonly unfinishedMs: number;
  /** How much of the disk stays free. */
  readonly leastFreeMib: number;
  /** Null for files in the folder. */
  readonly s3: S3Options | null;
  /** Temporary addresses are signed under a key that is made from it. */
  readonly secret: Buffer;
}

/** Uploaded files. Other libs keep theirs in its FILE_STORAGE, each below a first name of its own. */
@Module({})
export class UploadsModule {
  static with(options: UploadsOptions): DynamicModule {
    const { folder, limitMib, unfinishedMs, leastFreeMib, s3, secret } = options;
    const resumable = (externalUrl: URL): ResumableUploadOptions => ({
      folder: path.join(folder, 'unfinished'),
      path: `${API_PREFIX}/tus`,
      limitMib,
      silenceMs: unfinishedMs,
      externalUrl,
    });
    return {
      module: UploadsModule,
      global: true,
      imports: [MessagesModule],
      providers: [
        { provide: FILE_STORAGE, useFactory: () => openFileStorage({ folder, s3 }) },
        { provide: FILE_TOKEN_KEY, useFactory: () => deriveKey(secret, 'file tokens') },
        { provide: RESUMABLE_UPLOAD_OPTIONS, useFactory: resumable, inject: [EXTERNAL_URL] },
        { provide: CLOCK, useValue: systemClock },
        { provide: FREE_SPACE_OPTIONS, useValue: { folder, leastFreeMib } },
        { provide: UPLOAD_SILENCE_MS, useValue: unfinishedMs },
        AttachmentRepository,
        FreeSpace,
        KeepUpload,
        OpenUpload,
        RemoveUnclaimedUploads,
        ResumableUploads,
        ShareUpload,
        UploadReservationRepository,
        UploadRoom,
      ],
      exports: [FILE_STORAGE, KeepUpload, OpenUpload, ResumableUploads, ShareUpload],
    };
  }
}
