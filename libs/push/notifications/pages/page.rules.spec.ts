import { describe, expect, it } from '@jest/globals';
import { notificationIdAt } from './page.rules.js';

describe(notificationIdAt.name, () => {
  const pageId = '0198c3a1-7b2c-7def-8123-456789ab0000';

  it('puts the place at the end of the id of the page', () => {
    expect(notificationIdAt(pageId, 1)).toBe('0198c3a1-7b2c-7def-8123-456789ab0001');
    expect(notificationIdAt(pageId, 100)).toBe('0198c3a1-7b2c-7def-8123-456789ab0064');
  });
});
