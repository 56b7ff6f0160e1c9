import { describe, expect, it } from '@jest/globals';
import { redisAuthorityFile, redisFault } from './redis-address.js';

describe(redisFault.name, () => {
  it.each([
    'redis://:p@cache:6379/1',
    'rediss://cache?ssl_ca_certs=package.json',
    'redis+sentinel://s1,s2/main',
    'redis://[::1]',
    'rediss+sentinel://s1/main/0?ssl_ca_certs=package.json',
  ])('accepts %s', (url) => {
    expect(redisFault(url)).toBeNull();
  });

  it.each([
    ['redis://cache/carillon', 'expected a number after the host: the database of Redis'],
    ['redis://u:secret/1@cache', 'percent-encode'],
    ['redis://u:secret%@cache', 'percent-encode'],
    ['redis+sentinel://u:secret%@s1/main', 'percent-encode'],
    ['http://cache', 'expected an address that begins with redis://'],
    ['redis://cache?ssl_ca_certs=package.json', 'ssl_ca_certs needs rediss://'],
    ['rediss://u:secret@cache?ssl_ca_certs=/none.pem', 'the file of ssl_ca_certs (/none.pem)'],
    ['rediss+sentinel://s1/main?ssl_ca_certs=/none.pem', 'the file of ssl_ca_certs (/none.pem)'],
  ])('refuses %s', (url, fault) => {
    expect(redisFault(url)).toContain(fault);
    expect(redisFault(url)).not.toContain('secret');
  });
});

describe(redisAuthorityFile.name, () => {
  it('is null without an option', () => {
    expect(redisAuthorityFile('rediss://cache')).toBeNull();
    expect(redisAuthorityFile('rediss+sentinel://s1/main')).toBeNull();
  });

  it('is the decoded name of the file', () => {
    expect(redisAuthorityFile('rediss://cache/0?ssl_ca_certs=%2Frun%2Fca.pem')).toBe('/run/ca.pem');
  });
});
