import { describe, expect, it } from '@jest/globals';
import { hostIn, normalizedHost } from './host.js';

describe(normalizedHost.name, () => {
  it.each([
    'chat.x.test',
    'CHAT.x.Test',
    'chat\uFF0Ex.test',
    '\uFF43hat.x.test',
    'cha\u00ADt.x.test',
    'chat.x.test.',
    'chat.x.test\u3002',
    'chat.x.test:443',
    'chat.x.test.:443',
  ])('is one for all spellings: %j', (text) => {
    expect(normalizedHost(text)).toBe('chat.x.test');
  });

  it.each([
    ['Chat.X.test:8443', 'chat.x.test:8443'],
    ['b\u00FCcher.test', 'xn--bcher-kva.test'],
    ['0177.0.0.1', '127.0.0.1'],
    ['[0:0::1]:9991', '[::1]:9991'],
  ])('of %j is %j', (text, host) => {
    expect(normalizedHost(text)).toBe(host);
  });

  it.each(['', '.', 'a b.test', 'x.test/path', 'x.test?q', 'user@x.test', 'x.test:99999', 'a\nb'])(
    'is none of %j',
    (text) => {
      expect(normalizedHost(text)).toBeNull();
    },
  );

  it('has its name without the port', () => {
    expect(hostIn('X.test:8443')).toEqual({ name: 'x.test', port: ':8443' });
  });
});
