import { describe, expect, it } from '@jest/globals';
import { requestDigest } from './request-digest.rules.js';

const digest = requestDigest('POST /messages', { to: '5', content: 'Hello', topic: undefined });

describe(requestDigest.name, () => {
  it('is the same whatever the order of the fields, and whether one is undefined or left out', () => {
    expect(requestDigest('POST /messages', { content: 'Hello', to: '5' })).toEqual(digest);
  });

  it.each([
    ['another value', 'POST /messages', { to: '5', content: 'Hello!' }],
    ['another type', 'POST /messages', { to: 5, content: 'Hello' }],
    ['a further field', 'POST /messages', { to: '5', content: 'Hello', topic: '' }],
    ['another endpoint', 'POST /drafts', { to: '5', content: 'Hello' }],
  ])('differs with %s', (_, endpoint, fields) => {
    expect(requestDigest(endpoint, fields)).not.toEqual(digest);
  });

  it('is a SHA-256', () => {
    expect(digest).toHaveLength(32);
  });
});
