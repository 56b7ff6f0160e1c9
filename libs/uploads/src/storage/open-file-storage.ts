import path from 'node:path';
import type { FileStorage } from './file-storage.js';
import { LocalFileStorage } from './local-file-storage.js';
import type { S3Options } from './s3-file-storage.js';

interface Place {
  readonly folder: string;
  /** Null for files in the folder. */
  readonly s3: S3Options | null;
}

/** The storage that a program is configured with. Who has no bucket does not load what speaks to one. */
export async function openFileStorage({ folder, s3 }: Place): Promise<FileStorage> {
  if (s3 === null) return new LocalFileStorage(path.join(folder, 'files'));
  const { S3FileStorage } = await import('./s3-file-storage.js');
  return new S3FileStorage(s3);
}
