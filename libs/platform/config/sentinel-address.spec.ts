import { describe, expect, it } from '@jest/globals';
import { sentinelAddress } from './sentinel-address.js';

describe(sentinelAddress.name, () => {
  it('reads hosts, name, credentials and database', () => {
    expect(sentinelAddress('redis+sentinel://carillon:p%40ss@s1:5000,s2/main/3')).toEqual({
      sentinels: [
        { host: 's1', port: 5000 },
        { host: 's2', port: 26_379 },
      ],
      name: 'main',
      username: 'carillon',
      password: 'p@ss',
      database: 3,
      isEncrypted: false,
    });
    expect(sentinelAddress('redis+sentinel://[fd00::1]:5000,[fd00::2]/main')?.sentinels).toEqual([
      { host: 'fd00::1', port: 5000 },
      { host: 'fd00::2', port: 26_379 },
    ]);
    expect(sentinelAddress('rediss+sentinel://:secret@s1/main?ssl_ca_certs=/ca.pem')).toEqual({
      sentinels: [{ host: 's1', port: 26_379 }],
      name: 'main',
      password: 'secret',
      database: 0,
      isEncrypted: true,
      authorityFile: '/ca.pem',
    });
  });

  it.each([
    'redis://s1:6379/0',
    'redis+sentinel://s1',
    'redis+sentinel:///main',
    'redis+sentinel://s1,/main',
    'redis+sentinel://s1:port/main',
    'redis+sentinel://s1/main/x',
  ])('refuses %s', (url) => {
    expect(sentinelAddress(url)).toBeNull();
  });
});
