import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UnicodeEmoji } from '#chat/emoji-names';
import type { FileStorage, RemovedFileRepository } from '#chat/uploads';
import { roles } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import type { Database } from '#platform/database';
import { gif } from '#test/uploads-multipart';
import type { EmojiEvents } from './emoji.events.js';
import { EmojiPictures } from './emoji-pictures.js';
import type { RealmEmojiRepository } from './realm-emoji.repository.js';
import { RealmEmojiService } from './realm-emoji.service.js';

const caller = { userId: 1, role: roles.member, realm: { id: 2 } } as Caller;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'carillon-emoji-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A service whose repository answers with `added`, and the keys of the stored files. */
function serviceOf(added: string | object, commit: () => Promise<void> = () => Promise.resolve()) {
  const files = new Set<string>();
  // RealmEmojiService and EmojiPictures call only these methods here.
  const realmEmoji = {
    findActive: async () => null,
    add: async () => added,
  } as unknown as RealmEmojiRepository;
  const pictures = new EmojiPictures(
    realmEmoji,
    {
      note: async () => undefined,
      forget: async () => undefined,
    } as unknown as RemovedFileRepository,
    {
      store: async (key: string) => void files.add(key),
      remove: async (key: string) => void files.delete(key),
    } as unknown as FileStorage,
  );
  const sut = new RealmEmojiService(
    realmEmoji,
    { codeOf: () => undefined } as unknown as UnicodeEmoji,
    {
      transaction: async (work: (transaction: null) => Promise<unknown>) => {
        const result = await work(null);
        await commit();
        return result;
      },
    } as unknown as Database,
    { added: async () => undefined } as unknown as EmojiEvents,
    pictures,
    { customEmoji: 1 },
  );
  const add = async (): Promise<void> => {
    const file = path.join(folder, 'picture.gif');
    await writeFile(file, gif);
    await sut.add(caller, 'mascot', { path: file, sizeBytes: gif.length });
  };
  return { add, files };
}

describe(RealmEmojiService.name, () => {
  it.each(['name is taken', 'list is full'])('removes the picture again: %s', async (refusal) => {
    const { add, files } = serviceOf(refusal);
    await expect(add()).rejects.toThrow(ApiError);
    expect(files.size).toBe(0);
  });

  it('keeps the picture when the answer to the commit is lost', async () => {
    const lost = new Error('Connection terminated unexpectedly');
    const { add, files } = serviceOf({ id: 1 }, () => Promise.reject(lost));
    await expect(add()).rejects.toThrow(lost);
    expect(files.size).toBe(1);
  });
});
