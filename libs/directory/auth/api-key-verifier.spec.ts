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
  realm: { id: 2, subdomain: 'chat', isPresenceDisabled: false },
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

  it('reads an account once, however its header is spelt', async () => {
    let reads = 0;
    const sut = new ApiKeyVerifier(
      {
        findByKeyHash: () => {
          reads += 1;
          return Promise.resolve(account);
        },
      } as unknown as AccountRepository,
      versions as unknown as AuthVersionCache,
      60,
    );
    for (const header of [100, 101, 600, 600].map(headerOf)) {
      expect(await sut.verify(header, parseBasicAuthorization(header), 'chat')).toBe(account);
    }
    expect(reads).toBe(1);
  });

  it('knows no account after its version has changed', async () => {
    let version = account.authVersion;
    const sut = new ApiKeyVerifier(
      accounts as unknown as AccountRepository,
      { ...versions, known: () => version } as unknown as AuthVersionCache,
      60,
    );
    const header = headerOf(100);
    await sut.verify(header, parseBasicAuthorization(header), 'chat');
    expect(sut.known(header, 'chat')).toBe(account);
    version += 1;
    expect(sut.known(header, 'chat')).toBeNull();
  });

  it('does not cache an account that has changed during its read', async () => {
    const found = [account, { ...account, role: 300 }, { ...account, role: 200 }];
    const sut = new ApiKeyVerifier(
      {
        findByKeyHash: () => Promise.resolve(found.shift() ?? null),
      } as unknown as AccountRepository,
      {
        ...versions,
        raise: () => Promise.resolve(account.authVersion + (found.length > 0 ? 1 : 0)),
      } as unknown as AuthVersionCache,
      60,
    );
    const header = headerOf(100);
    const verify = () => sut.verify(header, parseBasicAuthorization(header), 'chat');
    expect(await verify()).toMatchObject({ role: 300 });
    expect(await verify()).toMatchObject({ role: 200 });
  });
});
