import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isPublicAddress, lookUpAs, lookUpPublic } from './public-addresses.js';

describe(isPublicAddress.name, () => {
  it.each(['8.8.8.8', '151.101.1.1', '2606:4700::1111', '::ffff:8.8.8.8'])('permits %s', (one) => {
    expect(isPublicAddress(one)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::10.0.0.1',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::',
    'fd00::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '',
    'localhost',
    '8.8.8.8:53',
  ])('refuses %j', (one) => {
    expect(isPublicAddress(one)).toBe(false);
  });

  it('permits no private IPv4 address in any spelling of IPv6', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '::'),
        fc.tuple(fc.constantFrom(10, 127), fc.nat(255), fc.nat(255), fc.nat(255)),
        (prefix, parts) => {
          expect(isPublicAddress(`${prefix}${parts.join('.')}`)).toBe(false);
        },
      ),
    );
  });
});

type Looked = Parameters<Parameters<typeof lookUpPublic>[2]>;

const looked = (lookUp: typeof lookUpPublic, hostname: string, all: boolean): Promise<Looked> =>
  new Promise((resolve) => {
    lookUp(hostname, { all }, (...answer) => resolve(answer));
  });

describe('lookUpPublic', () => {
  it.each(['localhost', '127.0.0.1', '10.0.0.1', '::1'])('refuses %s', async (hostname) => {
    const [error] = await looked(lookUpPublic, hostname, false);
    expect(error).toMatchObject({ name: 'PrivateAddress', code: 'EHOSTUNREACH' });
  });

  it('has the address of a public name', async () => {
    expect(await looked(lookUpPublic, '8.8.8.8', false)).toEqual([null, '8.8.8.8', 4]);
    const all = [{ address: '2606:4700::1111', family: 6 }];
    expect(await looked(lookUpPublic, '2606:4700::1111', true)).toEqual([null, all]);
  });

  it('fails like the system', async () => {
    const [error] = await looked(lookUpPublic, 'no-name.invalid', false);
    expect(error?.name).not.toBe('PrivateAddress');
    expect(error).toHaveProperty('code');
  });
});

describe('lookUpAs', () => {
  it('has the given addresses for every name', async () => {
    const addresses = [
      { address: '8.8.8.8', family: 4 },
      { address: '9.9.9.9', family: 4 },
    ];
    expect(await looked(lookUpAs(addresses), 'a.test', true)).toEqual([null, addresses]);
    expect(await looked(lookUpAs(addresses), 'a.test', false)).toEqual([null, '8.8.8.8', 4]);
  });
});
