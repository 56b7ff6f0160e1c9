import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError, readVariables } from './read-variables.js';
import { fileOf, port, secretKey } from './variable-types.js';

const schema = z.object({ PORT: port, SECRET: secretKey, NAME: z.string().default('carillon') });

function errorOf(environment: Record<string, string>): Error {
  try {
    readVariables(schema, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error('The environment was accepted');
}

describe(readVariables.name, () => {
  it('reads only the variables of its schema', () => {
    const SECRET = Buffer.alloc(32, 7).toString('base64');
    expect(readVariables(schema, { PORT: '80', SECRET, OTHER: 'x' })).toEqual({
      PORT: 80,
      SECRET: Buffer.alloc(32, 7),
      NAME: 'carillon',
    });
  });

  it('treats an empty variable as not set', () => {
    const SECRET = Buffer.alloc(32).toString('base64');
    expect(readVariables(schema, { PORT: '80', SECRET, NAME: '' }).NAME).toBe('carillon');
    expect(errorOf({ PORT: '', SECRET }).message).toContain('PORT is not set');
  });

  it('ignores white space around a value, as a secret that `echo` has written', () => {
    const SECRET = `${Buffer.alloc(32).toString('base64')}\n`;
    expect(readVariables(schema, { PORT: ' 80\n', SECRET, NAME: '\n' })).toMatchObject({
      PORT: 80,
      NAME: 'carillon',
    });
  });

  it('reads a variable from a file, if it is not set itself', () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'carillon-secret-')), 'token');
    writeFileSync(file, 'from the file\n');
    const files = z.object({ TOKEN: z.string(), TOKEN_FILE: fileOf('TOKEN') });
    expect(readVariables(files, { TOKEN_FILE: file }).TOKEN).toBe('from the file');
    expect(readVariables(files, { TOKEN: 'set', TOKEN_FILE: file }).TOKEN).toBe('set');
    writeFileSync(file, '\n');
    expect(() => readVariables(files, { TOKEN_FILE: file })).toThrow(
      `TOKEN is not set, and TOKEN_FILE (${file}) is empty`,
    );
    const optional = z.object({ TOKEN: z.string().optional(), TOKEN_FILE: fileOf('TOKEN') });
    expect(readVariables(optional, { TOKEN_FILE: file }).TOKEN).toBeUndefined();
    const ports = z.object({ PORT: port, PORT_FILE: fileOf('PORT') });
    writeFileSync(file, 'many');
    expect(() => readVariables(ports, { PORT_FILE: file })).toThrow(
      `PORT_FILE (${file}): expected a whole number`,
    );
    rmSync(path.dirname(file), { recursive: true });
    expect(() => readVariables(files, { TOKEN_FILE: file })).toThrow(
      `TOKEN is not set, and TOKEN_FILE (${file}) cannot be read (ENOENT)`,
    );
  });

  it('names every file that cannot be read, beside the other faults', () => {
    const withFiles = z.object({
      KEY: z.string(),
      KEY_FILE: fileOf('KEY'),
      TOKEN: z.string().optional(),
      TOKEN_FILE: fileOf('TOKEN'),
      PORT: port,
    });
    const given = { KEY_FILE: '/missing/key', TOKEN_FILE: '/missing/token', PORT: '0' };
    expect(() => readVariables(withFiles, given)).toThrow(
      expect.objectContaining({
        faults: [
          'KEY is not set, and KEY_FILE (/missing/key) cannot be read (ENOENT)',
          'TOKEN is not set, and TOKEN_FILE (/missing/token) cannot be read (ENOENT)',
          'PORT: expected a whole number from 1 to 65535',
        ],
      }),
    );
  });

  it('names every variable at fault and shows no value', () => {
    const { message } = errorOf({ PORT: 'hunter1', SECRET: 'hunter2' });
    expect(message).toContain('PORT: expected a whole number from 1 to 65535');
    expect(message).toContain('SECRET: expected 32 random bytes in base64');
    expect(message).not.toContain('hunter');
  });
});
