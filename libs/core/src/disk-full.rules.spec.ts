import { describe, expect, it } from '@jest/globals';
import { isDiskFull } from './disk-full.rules.js';

const withCode = (code: string) => Object.assign(new Error('trouble'), { code });

describe(isDiskFull.name, () => {
  it.each(['ENOSPC', 'EDQUOT', 'EROFS'])('knows %s', (code) => {
    expect(isDiskFull(withCode(code))).toBe(true);
    expect(isDiskFull(new Error('not kept', { cause: withCode(code) }))).toBe(true);
  });

  it.each<unknown>([withCode('ENOENT'), new Error('ENOSPC'), 'ENOSPC', null, undefined])(
    'takes %s for something else',
    (thrown) => {
      expect(isDiskFull(thrown)).toBe(false);
    },
  );
});
