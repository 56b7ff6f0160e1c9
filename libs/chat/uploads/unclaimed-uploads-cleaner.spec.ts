import { describe, expect, it } from '@jest/globals';
import type { RemovedFileRepository } from './removed-file.repository.js';
import type { FileStorage } from './storage/file-storage.js';
import { UnclaimedUploadsCleaner } from './unclaimed-uploads-cleaner.js';

describe(UnclaimedUploadsCleaner, () => {
  it('removes no further file after a shutdown has begun', async () => {
    const keys = Array.from({ length: 500 }, (_, index) => `file-${index}`);
    const tried: string[] = [];
    const forgotten: string[] = [];
    const storage: Pick<FileStorage, 'remove'> = {
      remove: async (key) => {
        tried.push(key);
        if (tried.length === 2) await sut.onApplicationShutdown();
      },
    };
    const removed: Pick<RemovedFileRepository, 'claim' | 'forget'> = {
      claim: () => Promise.resolve(keys),
      forget: async (gone) => {
        forgotten.push(...gone);
        await Promise.resolve();
      },
    };
    const sut = new UnclaimedUploadsCleaner(
      { removeUnclaimed: () => Promise.resolve({ checked: 0, removed: [] }) },
      // The fakes have the methods that are called.
      removed as RemovedFileRepository,
      storage as FileStorage,
    );
    await sut.clean();
    expect(tried).toEqual(['file-0', 'file-1']);
    expect(forgotten).toEqual(tried);
  });
});
