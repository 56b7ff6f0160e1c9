import type { FileStorage } from './file-storage.js';

/** Records the removed keys. */
export class RemovingStorage implements FileStorage {
  readonly isFolder = false;
  readonly removed: string[] = [];
  /** The keys whose removal was tried. */
  readonly tried: string[] = [];
  failureOf: (key: string) => Error | null = () => null;

  store = () => Promise.reject(new Error('Not supported'));
  read = () => Promise.reject(new Error('Not supported'));

  remove(key: string): Promise<void> {
    this.tried.push(key);
    const failure = this.failureOf(key);
    if (failure !== null) return Promise.reject(failure);
    this.removed.push(key);
    return Promise.resolve();
  }
}
