import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import {
  addresses,
  flag,
  listenHost,
  list,
  networks,
  operatorToken,
  port,
  ratio,
  rateRules,
  secretKey,
  urlOf,
  wholeNumber,
} from './variable-types.js';

const url = urlOf('postgresql', 'postgres');

describe('the types of variables', () => {
  it.each<[string, z.ZodType, string, unknown]>([
    ['wholeNumber', wholeNumber(0, 100), '0', 0],
    ['wholeNumber', wholeNumber(0, 100), '100', 100],
    ['port', port, '65535', 65_535],
    ['ratio', ratio, '0', 0],
    ['ratio', ratio, '0.25', 0.25],
    ['ratio', ratio, '1', 1],
    ['flag', flag, 'true', true],
    ['flag', flag, 'false', false],
    ['urlOf', url, 'postgres://a@b/c', 'postgres://a@b/c'],
    ['list', list, ' a, b ,,c ', ['a', 'b', 'c']],
    ['list', list, ' , ', []],
    ['listenHost', listenHost, '0.0.0.0', '0.0.0.0'],
    ['listenHost', listenHost, '::1', '::1'],
    ['listenHost', listenHost, 'gateway-1.chat.test', 'gateway-1.chat.test'],
    ['networks', networks, '10.0.0.1, fd00::/8', ['10.0.0.1', 'fd00::/8']],
    ['networks', networks, 'loopback,10.0.0.0/255.0.0.0', ['loopback', '10.0.0.0/255.0.0.0']],
    [
      'addresses',
      addresses,
      'a:1, b.test:65535',
      [
        { host: 'a', port: 1 },
        { host: 'b.test', port: 65_535 },
      ],
    ],
    [
      'addresses',
      addresses,
      '10.0.0.1:1,[fd00::1]:2,presence_1:3,presence.chat.svc.cluster.local.:4',
      [
        { host: '10.0.0.1', port: 1 },
        { host: 'fd00::1', port: 2 },
        { host: 'presence_1', port: 3 },
        { host: 'presence.chat.svc.cluster.local.', port: 4 },
      ],
    ],
    [
      'rateRules',
      rateRules,
      '60:200,86400:20000',
      [
        { seconds: 60, calls: 200 },
        { seconds: 86_400, calls: 20_000 },
      ],
    ],
    ['operatorToken', operatorToken, ' sixteen letters! ', 'sixteen letters!'],
    ['secretKey', secretKey, Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 1)],
  ])('%s reads %#', (_name, type, given, value) => {
    expect(type.parse(given)).toEqual(value);
  });

  it.each<[string, z.ZodType, string, string]>([
    ['wholeNumber', wholeNumber(1, 100), '0', 'expected a whole number from 1 to 100'],
    ['wholeNumber', wholeNumber(1, 100), '101', 'expected a whole number from 1 to 100'],
    ['wholeNumber', wholeNumber(1, 100), '1.5', 'expected a whole number from 1 to 100'],
    ['wholeNumber', wholeNumber(1, 100), '1e1', 'expected a whole number from 1 to 100'],
    ['port', port, '0', 'expected a whole number from 1 to 65535'],
    ['port', port, '65536', 'expected a whole number from 1 to 65535'],
    ['listenHost', listenHost, '999.1.1.1', 'expected a host name or an IP address'],
    ['listenHost', listenHost, '10.0.0', 'expected a host name or an IP address'],
    ['listenHost', listenHost, 'http://a', 'expected a host name or an IP address'],
    ['networks', networks, 'banana', 'expected addresses or networks'],
    ['networks', networks, '10.0.0.0/33', 'expected addresses or networks'],
    ['networks', networks, '10.0.0.0/8/8', 'expected addresses or networks'],
    ['flag', flag, 'yes', 'expected true or false'],
    ['flag', flag, 'True', 'expected true or false'],
    ['urlOf', url, 'mysql://a', 'begins with postgresql:// or postgres://'],
    ['urlOf', url, 'nowhere', 'begins with postgresql:// or postgres://'],
    ['addresses', addresses, ',', 'expected host:port'],
    ['addresses', addresses, 'a', 'expected host:port'],
    ['addresses', addresses, 'a:1,b:65536', 'expected host:port'],
    ['addresses', addresses, 'a:0', 'expected host:port'],
    ['addresses', addresses, ':1', 'expected host:port'],
    ['addresses', addresses, 'http://a:1', 'expected host:port'],
    ['addresses', addresses, 'a b:1', 'expected host:port'],
    ['addresses', addresses, 'a..b:1', 'expected host:port'],
    ['addresses', addresses, '10.0.0.300:1', 'expected host:port'],
    ['addresses', addresses, 'fd00::1:1', 'expected host:port'],
    ['addresses', addresses, '[10.0.0.1]:1', 'expected host:port'],
    ['addresses', addresses, `${'a'.repeat(254)}:1`, 'expected host:port'],
    ['rateRules', rateRules, ',', 'expected seconds:calls'],
    ['rateRules', rateRules, '0:1', 'expected seconds:calls'],
    ['rateRules', rateRules, '60', 'expected seconds:calls'],
    ['rateRules', rateRules, '60:200,60:100', 'expected different times'],
    ['operatorToken', operatorToken, 'fifteen letters', 'expected at least 16 characters'],
    ['ratio', ratio, '1.5', 'from 0 to 1'],
    ['ratio', ratio, '-0.5', 'from 0 to 1'],
    ['ratio', ratio, 'half', 'from 0 to 1'],
    ['secretKey', secretKey, Buffer.alloc(31).toString('base64'), 'expected 32 random bytes'],
    ['secretKey', secretKey, 'x'.repeat(32), 'expected 32 random bytes'],
  ])('%s rejects %#', (_name, type, given, message) => {
    expect(type.safeParse(given).error?.issues).toMatchObject([
      { message: expect.stringContaining(message) },
    ]);
  });
});
