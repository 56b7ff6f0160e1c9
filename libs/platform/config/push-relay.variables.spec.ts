import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readApiGatewayConfig } from './api-gateway.config.js';
import { readPushWorkerConfig } from './push-worker.config.js';
import { ConfigError } from './read-variables.js';

const stores = { DATABASE_URL: 'postgresql://u@db/carillon', REDIS_URL: 'redis://cache' };
const apiKeySecret = { API_KEY_SECRET: Buffer.alloc(32, 1).toString('base64') };
const id = '6cb0a4a2-5a0e-4e5a-9c49-0b0d3f1f8a11';
const key = 'k'.repeat(64);
const relay = {
  PUSH_SERVICE_URL: 'https://push.example.org/',
  PUSH_SERVICE_ORG_ID: id,
  PUSH_SERVICE_ORG_KEY: key,
};
const complete = { url: 'https://push.example.org', orgId: id, orgKey: key };

const read = (more: object) => readPushWorkerConfig({ ...stores, ...more }).relay;

describe('the variables of a relay', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'relay-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('are not set by default', () => {
    expect(read({})).toBeNull();
  });

  it('exclude a push service for other servers', () => {
    const both = { ...stores, ...apiKeySecret, ...relay, PUSH_SERVICE_ENABLED: 'true' };
    const secret = Buffer.alloc(32, 2).toString('base64');
    expect(() => readApiGatewayConfig({ ...both, PUSH_KEY_SECRET: secret })).toThrow(
      'PUSH_SERVICE_ENABLED is set, and PUSH_SERVICE_URL too: only one of them can send',
    );
  });

  it('are the same for gateways and workers', () => {
    expect(read(relay)).toEqual(complete);
    expect(readApiGatewayConfig({ ...stores, ...apiKeySecret, ...relay }).push.relay).toEqual(
      complete,
    );
  });

  it('may name a file with the key', () => {
    const file = path.join(folder, 'key');
    writeFileSync(file, `${key}\n`);
    const named = { ...relay, PUSH_SERVICE_ORG_KEY: '', PUSH_SERVICE_ORG_KEY_FILE: file };
    expect(read(named)).toEqual(complete);
    writeFileSync(file, 'short');
    expect(() => read(named)).toThrow('): expected 64 characters');
    expect(() => read({ ...named, PUSH_SERVICE_ORG_KEY_FILE: 'missing' })).toThrow(
      'PUSH_SERVICE_ORG_KEY_FILE (missing) cannot be read',
    );
  });

  it.each(['http://127.0.0.1:9991', 'http://localhost:1', 'http://[::1]:9991'])(
    'allow plain http to loopback: %s',
    (url) => {
      expect(read({ ...relay, PUSH_SERVICE_URL: url })?.url).toBe(url);
    },
  );

  it.each([
    ['PUSH_SERVICE_URL', 'http://push.example.org', 'expected https://'],
    ['PUSH_SERVICE_URL', 'push.example.org', 'expected an address that begins with https://'],
    ['PUSH_SERVICE_URL', 'https://id:key@push.example.org', 'without a user'],
    ['PUSH_SERVICE_URL', 'https://push.example.org/?a=b', 'without a user, a query'],
    ['PUSH_SERVICE_ORG_ID', id.toUpperCase(), 'expected a UUID of version 4'],
    ['PUSH_SERVICE_ORG_ID', id.replace('-4', '-1'), 'expected a UUID of version 4'],
    ['PUSH_SERVICE_ORG_KEY', 'k'.repeat(63), 'expected 64 characters'],
    ['PUSH_SERVICE_ORG_KEY', `:${'k'.repeat(63)}`, 'without spaces and colons'],
  ])('refuse %s=%s without showing it', (name, value, fault) => {
    const reading = () => read({ ...relay, [name]: value });
    expect(reading).toThrow(`${name}: ${fault}`.slice(0, name.length + 1));
    expect(reading).toThrow(fault);
    expect(reading).not.toThrow(value);
  });

  it.each(['PUSH_SERVICE_URL', 'PUSH_SERVICE_ORG_ID', 'PUSH_SERVICE_ORG_KEY'])(
    'belong together: %s',
    (name) => {
      expect(() => read({ ...relay, [name]: '' })).toThrow(`${name} is not set, but `);
    },
  );

  it('exclude credentials of Apple and Google', () => {
    const both = { ...relay, FCM_SERVICE_ACCOUNT_FILE: 'a.json', PUSH_APPS_FILE: 'b.json' };
    expect(() => read(both)).toThrow(ConfigError);
    expect(() => read(both)).toThrow('PUSH_APPS_FILE is set, and PUSH_SERVICE_URL too');
    expect(() => read(both)).toThrow('FCM_SERVICE_ACCOUNT_FILE is set, and PUSH_SERVICE_URL too');
  });
});
