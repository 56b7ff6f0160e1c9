import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { readApiGatewayConfig } from './api-gateway.config.js';
import {
  presenceTimingFrom,
  presenceTimingVariables,
  readLoggingConfig,
} from './common.variables.js';
import { readPresenceConfig } from './presence.config.js';
import { ConfigError, readVariables } from './read-variables.js';

describe(readLoggingConfig.name, () => {
  it('reads the level and the format', () => {
    expect(readLoggingConfig({ LOG_LEVEL: 'debug', LOG_FORMAT: 'text' })).toEqual({
      level: 'debug',
      format: 'text',
    });
  });

  it('ignores white space around a value, as the reader of the program does', () => {
    expect(readLoggingConfig({ LOG_LEVEL: 'debug\r', LOG_FORMAT: ' text ' })).toEqual({
      level: 'debug',
      format: 'text',
    });
  });

  it.each([{}, { LOG_LEVEL: '', LOG_FORMAT: '' }, { LOG_LEVEL: 'loud', LOG_FORMAT: 'yaml' }])(
    'returns the defaults for %p and does not throw',
    (environment) => {
      expect(readLoggingConfig(environment)).toEqual({ level: 'log', format: 'json' });
    },
  );
});

const timingOf = (environment: Record<string, string>) =>
  presenceTimingFrom(readVariables(z.object(presenceTimingVariables), environment));

describe(presenceTimingFrom.name, () => {
  it('returns the timing that clients assume by default', () => {
    expect(timingOf({})).toEqual({ pingIntervalSeconds: 60, offlineThresholdSeconds: 200 });
  });

  it('rejects a threshold that two lost pings would exceed, and names the variable', () => {
    const refused = () => timingOf({ PRESENCE_OFFLINE_SECONDS: '199' });
    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow('PRESENCE_OFFLINE_SECONDS: expected at least 200');
  });
});

const stores = { DATABASE_URL: 'postgresql://u@db/carillon', REDIS_URL: 'redis://cache' };
const bytes = Buffer.alloc(32, 7);
const PRESENCE_SECRET = bytes.toString('base64');

describe('PRESENCE_SECRET', () => {
  const home = process.cwd();
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-secret-'));
    // The default file is relative: that of a system in this checkout must not be found.
    process.chdir(folder);
  });

  afterAll(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true });
  });

  const fileWith = (text: string): string => {
    const file = path.join(folder, String(text.length));
    writeFileSync(file, text);
    return file;
  };

  it('is read by both programs from the environment or from a file', () => {
    const file = { PRESENCE_SECRET_FILE: fileWith(`${PRESENCE_SECRET}\n`) };
    for (const given of [{ PRESENCE_SECRET }, file]) {
      expect(readPresenceConfig({ ...stores, ...given }).secret).toEqual(bytes);
      const gateway = { ...stores, API_KEY_SECRET: PRESENCE_SECRET, ...given };
      expect(readApiGatewayConfig(gateway).presence.secret).toEqual(bytes);
    }
  });

  it('is rejected when the named file is missing or has not 32 bytes', () => {
    const missing = { ...stores, PRESENCE_SECRET_FILE: path.join(folder, 'missing') };
    expect(() => readPresenceConfig(missing)).toThrow('cannot be read');
    const short = { ...stores, PRESENCE_SECRET_FILE: fileWith('c2hvcnQ=') };
    expect(() => readPresenceConfig(short)).toThrow('expected 32 random bytes');
  });

  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])(
    'is optional if presence listens on %s',
    (PRESENCE_HOST) => {
      expect(readPresenceConfig({ ...stores, PRESENCE_HOST }).secret).toBeNull();
    },
  );

  it.each(['0.0.0.0', '::', '10.1.2.3', 'presence.internal', '127.0.0.1.example.org'])(
    'is required if presence listens on %s',
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
