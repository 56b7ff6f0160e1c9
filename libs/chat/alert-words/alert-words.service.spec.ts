import { describe, expect, it } from '@jest/globals';
import type { Database } from '#platform/database';
import type { AlertWordEvents } from './alert-words.events.js';
import type { AlertWordRepository } from './alert-word.repository.js';
import { AlertWordsService } from './alert-words.service.js';

/** Words without letters: a look at any text considers them. */
const WORDS = Array.from({ length: 100_000 }, (_, index) => {
  const digits = Array.from(String(index), (digit) => '!?.,;:-+*#'[Number(digit)]);
  return { userId: index % 100, folded: digits.join('') };
});
const words: Pick<AlertWordRepository, 'beginningWith'> = {
  beginningWith: () => Promise.resolve(WORDS),
};

describe(AlertWordsService.name, () => {
  it('lets other work run while it looks for the words of a large organisation', async () => {
    // The method reads words only.
    const sut = new AlertWordsService(
      words as AlertWordRepository,
      {} as Database,
      {} as AlertWordEvents,
    );
    let turns = 0;
    const count = () => {
      turns += 1;
      turn = setImmediate(count);
    };
    let turn = setImmediate(count);
    expect(await sut.alertedBy(1, 'A text. '.repeat(1250))).toEqual([2]);
    clearImmediate(turn);
    expect(turns).toBeGreaterThan(5);
  });
});
