import { describe, expect, it } from '@jest/globals';
import { isSubdomain, subdomainOfHost } from './subdomain.rules.js';

describe(subdomainOfHost.name, () => {
  it.each([
    ['chat.example.org', 'https://chat.example.org', ''],
    ['CHAT.example.org:8443', 'https://chat.example.org', ''],
    ['acme.chat.example.org', 'https://chat.example.org', 'acme'],
    ['Acme.Chat.Example.org:9991', 'https://chat.example.org:9991', 'acme'],
    ['acme.chat.example.org.', 'https://chat.example.org', 'acme'],
    ['acme\uFF0Echat.example.org:443', 'https://chat.example.org', 'acme'],
    ['a.b.chat.example.org', 'https://chat.example.org', null],
    ['.chat.example.org', 'https://chat.example.org', null],
    ['chat.example.org.evil.test', 'https://chat.example.org', null],
    ['evilchat.example.org', 'https://chat.example.org', null],
    ['localhost', 'https://chat.example.org', null],
    ['', 'https://chat.example.org', null],
    ['localhost:9991', 'http://127.0.0.1:9991', ''],
    ['127.0.0.1:1', 'http://localhost:9991', ''],
    ['[::1]:9991', 'http://127.0.0.1:9991', ''],
    ['[::1]', 'http://localhost', ''],
    ['acme.localhost:9991', 'http://localhost:9991', 'acme'],
    ['acme.127.0.0.1:9991', 'http://127.0.0.1:9991', 'acme'],
  ])('of the host "%s" at %s is %j', (host, externalUrl, subdomain) => {
    expect(subdomainOfHost(host, new URL(externalUrl))).toBe(subdomain);
  });
});

describe(isSubdomain.name, () => {
  it.each(['', 'a', 'acme', 'a-1', '7', 'a'.repeat(63)])('accepts "%s"', (text) => {
    expect(isSubdomain(text)).toBe(true);
  });

  it.each(['Acme', 'a.b', '-a', 'a-', 'a_b', ' ', 'é', 'a\n', 'a'.repeat(64)])(
    'refuses "%s"',
    (text) => {
      expect(isSubdomain(text)).toBe(false);
    },
  );
});
