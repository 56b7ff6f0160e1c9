import type { Readable } from 'node:stream';
import type { ByteRange } from '#edge';

/** A file on local disk that is to be kept. */
export interface IncomingFile {
  readonly path: string;
  readonly contentType: string;
}

/**
 * Where files are kept, each under a key: names with slashes between, as in `7/a1/token/name.txt`. What
 * can be no key of ours (an empty name, `.`, `..`, a backslash) is never looked for outside. What cannot be
 * reached rejects with StorageAway.
 */
export interface FileStorage {
  /** Whether keys should be spread over folders, since what is in one is found by looking through it. */
  readonly isFolder: boolean;

  /**
   * Keeps a file under a key, in the place of what was there; it is there whole or not at all. The file
   * on local disk may be gone afterwards.
   */
  store(key: string, file: IncomingFile): Promise<void>;

  /** The bytes of a file, or a range that lies in it; rejects with FileMissing when there is none. */
  read(key: string, range?: ByteRange | null): Promise<Readable>;

  /** Removes a file; that there is none is no error. */
  remove(key: string): Promise<void>;
}

/** DI token of the FileStorage that the program is configured with. */
export const FILE_STORAGE = Symbol('FileStorage');

/** There is no file under a key. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing';

  constructor() {
    super('There is no file under this key');
  }
}

/** The storage does not answer, or not now. */
export class StorageAway extends Error {
  override readonly name = 'StorageAway';
  /** The edge knows it by this. */
  readonly code = 'STORAGE_AWAY';

  constructor(cause: unknown) {
    super('The file storage is away', { cause });
  }
}
