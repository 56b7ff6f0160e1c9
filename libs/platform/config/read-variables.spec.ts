import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ConfigError, readVariables } from './read-variables.js';
import { port, secretKey } from './variable-types.js';

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

  it('names every variable at fault and shows no value', () => {
    const { message } = errorOf({ PORT: 'hunter1', SECRET: 'hunter2' });
    expect(message).toContain('PORT: expected a whole number from 1 to 65535');
    expect(message).toContain('SECRET: expected 32 random bytes in base64');
    expect(message).not.toContain('hunter');
  });
});
