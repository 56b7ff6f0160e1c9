import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

describe('the migration step', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = 0;
  });

  it('refuses an unknown argument before it reads the address of the database', async () => {
    const fatal = jest.spyOn(Logger.prototype, 'fatal').mockReturnValue();
    jest.replaceProperty(process, 'argv', ['node', 'migrate.js', '--check', '--help']);
    await import('./migrate.js');
    expect(fatal.mock.calls).toEqual([[expect.stringContaining('Unknown argument --help')]]);
    expect(process.exitCode).toBe(1);
  });
});
