import { describe, expect, it } from '@jest/globals';
import { nameUuid } from './name-uuid.js';

describe(nameUuid.name, () => {
  it('is the UUID that RFC 9562 defines for an address', () => {
    // Python: uuid.uuid5(uuid.NAMESPACE_URL, 'https://chat.example.org')
    expect(nameUuid('https://chat.example.org')).toBe('07d5d20f-6338-59ee-bec3-5a9287b6a853');
  });
});
