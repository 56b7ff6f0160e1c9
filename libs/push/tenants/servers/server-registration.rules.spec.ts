import { describe, expect, it } from '@jest/globals';
import { ApiError } from '#platform/contracts';
import {
  contactDomainIn,
  hostnameIn,
  hostSecretFault,
  makeHostSecret,
} from './server-registration.rules.js';

const key = Buffer.alloc(32, 7);

describe(hostnameIn.name, () => {
  it.each([
    ['Chat.Example.ORG', 'chat.example.org'],
    ['localhost:9991', 'localhost:9991'],
    ['a.test:65535', 'a.test:65535'],
    ['10.0.0.1', '10.0.0.1'],
    ['[::1]:80', '[::1]:80'],
    ['xn--mller-kva.example', 'xn--mller-kva.example'],
  ])('accepts %s', (text, hostname) => {
    expect(hostnameIn(text)).toBe(hostname);
  });

  it.each([
    '',
    'word',
    'a b.test',
    'a.test:65536',
    'a.test:99999',
    'a.test:',
    '-a.test',
    'a-.test',
    'x@a.test',
    '1.2.3',
    '[::1',
    'xn--a.example.org',
    'a.example.xn--a:443',
    'a.test:443',
    'a.test:080',
    'a.test.',
    'a.test\u3002',
    'chat\uff0ex.test',
    '\uff43hat.x.test',
    'ch\u00adat.x.test',
    'm\u00fcller.example',
    '[0:0::1]',
  ])('refuses "%s"', (text) => {
    expect(() => hostnameIn(text)).toThrow(`${text} is not a valid hostname`);
  });

  it.each(['a.test/', 'a.test?b', 'a.test#c', 'https://a.test'])(
    'refuses the parts of %s',
    (text) => {
      expect(() => hostnameIn(text)).toThrow('contains invalid components');
    },
  );
});

describe(contactDomainIn.name, () => {
  it.each([
    ['admin@Chat.test', 'chat.test'],
    ['a.b+c@localhost', 'localhost'],
  ])('returns the domain of %s', (email, domain) => {
    expect(contactDomainIn(email)).toBe(domain);
  });

  it.each([
    '',
    '@',
    'a@',
    '@b.test',
    'a..b@c.test',
    'a@b',
    'a@b@c.test x',
    `${'a'.repeat(65)}@b.test`,
  ])('refuses "%s"', (email) => {
    expect(() => contactDomainIn(email)).toThrow(ApiError);
  });
});

describe(makeHostSecret.name, () => {
  const now = 1_796_083_200_000;
  const secret = makeHostSecret(key, 'chat.test', now);

  it('is proven for ten seconds', () => {
    expect(secret).toMatch(/^[\dA-F]+$/);
    expect(hostSecretFault(key, 'chat.test', secret, now + 10_000)).toBeNull();
    expect(hostSecretFault(key, 'chat.test', secret, now + 10_001)).toBe(
      'The verification secret has expired',
    );
  });

  it('is bound to its host and key', () => {
    expect(hostSecretFault(key, 'other.test', secret, now)).toContain('different hostname');
    expect(hostSecretFault(Buffer.alloc(32), 'chat.test', secret, now)).toContain('is invalid');
    expect(hostSecretFault(key, 'chat.test', secret.toLowerCase(), now)).toContain('malformed');
    const otherHost = Buffer.from('other.test').toString('hex').toUpperCase();
    const changed = secret.slice(0, 12 + 64) + otherHost;
    expect(hostSecretFault(key, 'other.test', changed, now)).toContain('is invalid');
  });
});
