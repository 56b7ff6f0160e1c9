import path from 'node:path';
import type { FileStorage } from './file-storage.js';
import { LocalFileStorage } from './local-file-storage.js';
import type { S3Options } from './s3-file-storage.js';

interface StorageOptions {
  readonly folder: string;
  /** Null to store files in the folder. */
  readonly s3: S3Options | null;
}

/** Opens the configured storage. The S3 client is loaded only if a bucket is configured. */
export async function openFileStorage({ folder, s3 }: StorageOptions): Promise<FileStorage> {
  if (s3 === null) return new LocalFileStorage(path.join(folder, 'files'));
  const { S3FileStorage } = await import('./s3-file-storage.js');
  return new S3FileStorage(s3);
}
