import { describe, expect, it } from '@jest/globals';
import type { Account, AccountRepository } from './account.repository.js';
import { ApiKeyVerifier } from './api-key-verifier.js';
import type { AuthVersionCache } from './auth-version-cache.js';
import { parseBasicAuthorization } from './basic-authorization.rules.js';

const account: Account = {
  userId: 7,
  deliveryEmail: 'me@chat.test',
  role: 400,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 1,
  keyGeneration: 1,
  authVersion: 3,
  isActive: true,
  isRealmDeactivated: false,
  realm: { id: 2, subdomain: 'chat', name: 'Chat', isPresenceDisabled: false },
};

const encoded = Buffer.from('me@chat.test:abcdefghijklmnopqrstuvwxyzABCDEF').toString('base64');

/** An accepted header of this length. */
const headerOf = (length: number) => `Basic${encoded.padStart(length - 'Basic'.length, ' ')}`;

describe(ApiKeyVerifier.name, () => {
  const versions = {
    known: () => account.authVersion,
    current: () => Promise.resolve(account.authVersion),
    raise: () => Promise.resolve(account.authVersion),
    onLost: () => undefined,
  };
  const accounts = { findByKeyHash: () => Promise.resolve(account) };

  it.each([
    [512, true],
    [513, false],
  ])('caches a header of %d characters: %p', async (length, isCached) => {
    const sut = new ApiKeyVerifier(
      accounts as unknown as AccountRepository,
      versions as unknown as AuthVersionCache,
      60,
    );
    const header = headerOf(length);
    expect(header).toHaveLength(length);
    expect(await sut.verify(header, parseBasicAuthorization(header), 'chat')).toBe(account);
    expect(sut.known(header, 'chat')).toBe(isCached ? account : null);
  });
});
