import { describe, expect, it } from '@jest/globals';
import { hostAndPort } from './server-address.js';

describe(hostAndPort.name, () => {
  it('puts brackets around an IPv6 address', () => {
    expect(hostAndPort({ host: 'fd00::1', port: 9 })).toBe('[fd00::1]:9');
    expect(hostAndPort({ host: '10.0.0.1', port: 9 })).toBe('10.0.0.1:9');
    expect(hostAndPort({ host: 'db.test', port: 9 })).toBe('db.test:9');
  });
});
