import type { Readable } from 'node:stream';
import type { ByteRange } from '#platform/http';

/** A file on local disk to store. */
export interface IncomingFile {
  readonly path: string;
  readonly contentType: string;
}

/**
 * Stores files under keys: names separated by slashes, as in `7/a1/token/name.txt`. An invalid key (an empty name, `.`,
 * `..`, a backslash) never leads outside the storage. A storage that is unreachable or refuses rejects with
 * StorageUnavailable.
 */
export interface FileStorage {
  /** Whether keys should be spread over folders, since a large folder is slow to search. */
  readonly isFolder: boolean;

  /**
   * Stores a file under a key and replaces an earlier one; atomic. The file on local disk may be moved away.
   */
  store(key: string, file: IncomingFile): Promise<void>;

  /** The bytes of a file, or a range that lies in it; rejects with FileMissing for an unknown key. */
  read(key: string, range?: ByteRange | null): Promise<Readable>;

  /** Removes a file; a missing file is ignored. */
  remove(key: string): Promise<void>;
}

/** DI token of the FileStorage that the program is configured with. */
export const FILE_STORAGE = Symbol('FileStorage');

/** No file has the key. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing';

  constructor() {
    super('There is no file under this key');
  }
}

/** The storage cannot be reached, or refuses the requests of this server. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  /** The error filter recognises outages by this code. */
  readonly code = 'STORAGE_AWAY';

  /** `reason` is for the operator. */
  constructor(reason: string, cause: unknown) {
    super(`The file storage is unavailable: ${reason}`, { cause });
  }
}
