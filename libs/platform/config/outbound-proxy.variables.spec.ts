import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readPushWorkerConfig } from './push-worker.config.js';

const stores = { DATABASE_URL: 'postgresql://u@db/carillon', REDIS_URL: 'redis://cache' };
const read = (more: Readonly<Record<string, string>>) =>
  readPushWorkerConfig({ ...stores, ...more }).outboundProxy;
const proxy = {
  isTls: false,
  host: 'proxy.test',
  port: 3128,
  credentials: null,
  caFile: undefined,
  noProxy: '',
};

describe('the variables of the outbound proxy', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'proxy-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const fileWith = (text: string) => {
    const file = path.join(folder, 'sign-in');
    writeFileSync(file, text);
    return file;
  };

  it('are not set by default', () => {
    expect(read({})).toBeNull();
    expect(read({ NO_PROXY: '*' })).toBeNull();
  });

  it('prefer our own name', () => {
    const others = { HTTPS_PROXY: 'http://second.test:1', https_proxy: 'http://third.test:1' };
    expect(read({ OUTBOUND_PROXY_URL: 'http://proxy.test:3128', ...others })).toEqual(proxy);
    expect(read(others)).toMatchObject({ host: 'second.test' });
    expect(read({ https_proxy: 'http://third.test:1' })).toMatchObject({ host: 'third.test' });
    const hosts = { NO_PROXY: 'a.test', no_proxy: 'b.test' };
    expect(read({ ...others, ...hosts })).toMatchObject({ noProxy: 'a.test' });
    expect(read({ ...others, no_proxy: 'b.test' })).toMatchObject({ noProxy: 'b.test' });
  });

  it.each([
    ['http://proxy.test', { host: 'proxy.test', port: 80 }],
    ['https://proxy.test', { isTls: true, port: 443 }],
    ['https://proxy.test:8443/', { isTls: true, port: 8443 }],
    ['http://[fd00::1]:3128', { host: 'fd00::1', port: 3128 }],
    ['http://ada:s%3Acr%40t@proxy.test', { credentials: 'ada:s:cr@t' }],
    ['http://ada@proxy.test', { credentials: 'ada:' }],
  ])('take %s', (url, expected) => {
    expect(read({ OUTBOUND_PROXY_URL: url })).toMatchObject(expected);
  });

  it.each([
    'proxy.test:3128',
    'socks5://proxy.test:1080',
    'http://proxy.test/path',
    'http://proxy.test?a=b',
    'http://ad%3Aa:secret@proxy.test',
    'http://ada:%zz@proxy.test',
  ])('refuse %s, and do not show it', (url) => {
    expect(() => read({ OUTBOUND_PROXY_URL: url })).toThrow('OUTBOUND_PROXY_URL: expected');
    expect(() => read({ HTTPS_PROXY: url })).not.toThrow(url);
  });

  it('may name a file with the sign-in', () => {
    const named = (text: string) =>
      read({
        OUTBOUND_PROXY_URL: 'http://ada:old@proxy.test:3128',
        OUTBOUND_PROXY_AUTH_FILE: fileWith(text),
        OUTBOUND_PROXY_CA_FILE: 'ca.pem',
      });
    expect(named('ada:s:cret \n')).toEqual({
      ...proxy,
      credentials: 'ada:s:cret',
      caFile: 'ca.pem',
    });
    for (const text of ['', 'ada', ':secret', 'ada:a\nbob:b']) {
      expect(() => named(text)).toThrow('): expected one line, user:password');
    }
    const missing = {
      OUTBOUND_PROXY_URL: 'http://proxy.test',
      OUTBOUND_PROXY_AUTH_FILE: path.join(folder, 'missing'),
    };
    expect(() => read(missing)).toThrow('missing) cannot be read (ENOENT)');
  });

  it('are not needed where every server is exempt', () => {
    expect(read({ HTTPS_PROXY: 'http://proxy.test', NO_PROXY: 'a.test, *' })).toBeNull();
    expect(read({ HTTPS_PROXY: 'http://proxy.test', no_proxy: '*.a.test' })).not.toBeNull();
  });

  it('go together with a relay', () => {
    const relay = {
      PUSH_SERVICE_URL: 'https://push.example.org/',
      PUSH_SERVICE_ORG_ID: '6cb0a4a2-5a0e-4e5a-9c49-0b0d3f1f8a11',
      PUSH_SERVICE_ORG_KEY: 'k'.repeat(64),
    };
    expect(read({ ...relay, OUTBOUND_PROXY_URL: 'http://proxy.test' })).not.toBeNull();
  });
});
