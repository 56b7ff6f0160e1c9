import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError, readApiGatewayConfig, readPresenceConfig } from './index.js';

const stores = { DATABASE_URL: 'postgresql://u@db/carillon', REDIS_URL: 'redis://cache' };
const bytes = Buffer.alloc(32, 7);
const PRESENCE_SECRET = bytes.toString('base64');

describe('PRESENCE_SECRET', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-secret-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const fileWith = (text: string): string => {
    const file = path.join(folder, String(text.length));
    writeFileSync(file, text);
    return file;
  };

  it('is read from the environment, or else from a file, by both programs', () => {
    const file = { PRESENCE_SECRET_FILE: fileWith(`${PRESENCE_SECRET}\n`) };
    for (const given of [{ PRESENCE_SECRET }, file]) {
      expect(readPresenceConfig({ ...stores, ...given }).secret).toEqual(bytes);
      const gateway = { ...stores, API_KEY_SECRET: PRESENCE_SECRET, ...given };
      expect(readApiGatewayConfig(gateway).presence.secret).toEqual(bytes);
    }
  });

  it('must be there when a file is named, and be 32 bytes', () => {
    const missing = { ...stores, PRESENCE_SECRET_FILE: path.join(folder, 'missing') };
    expect(() => readPresenceConfig(missing)).toThrow('cannot be read');
    const short = { ...stores, PRESENCE_SECRET_FILE: fileWith('c2hvcnQ=') };
    expect(() => readPresenceConfig(short)).toThrow('expected 32 random bytes');
  });

  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])(
    'may be left out where presence listens on %s',
    (PRESENCE_HOST) => {
      expect(readPresenceConfig({ ...stores, PRESENCE_HOST }).secret).toBeNull();
    },
  );

  it.each(['0.0.0.0', '::', '10.1.2.3', 'presence.internal', '127.0.0.1.example.org'])(
    'is needed where presence listens on %s',
    (PRESENCE_HOST) => {
      expect(() => readPresenceConfig({ ...stores, PRESENCE_HOST })).toThrow(ConfigError);
      expect(() => readPresenceConfig({ ...stores, PRESENCE_HOST })).toThrow(
        'PRESENCE_SECRET is not set',
      );
      expect(readPresenceConfig({ ...stores, PRESENCE_HOST, PRESENCE_SECRET }).secret).toEqual(
        bytes,
      );
    },
  );
});
