import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger } from './logger.js';

describe(createLogger.name, () => {
  let written: string[];

  beforeEach(() => {
    written = [];
    const record = (text: unknown) => written.push(String(text)) > 0;
    jest.spyOn(process.stdout, 'write').mockImplementation(record);
    jest.spyOn(process.stderr, 'write').mockImplementation(record);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('writes one JSON object per line', () => {
    const sut = createLogger({ level: 'log', format: 'json' });
    sut.log('hello\nworld', 'Context');
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(written[0] ?? '')).toMatchObject({
      level: 'log',
      message: 'hello\nworld',
      context: 'Context',
    });
  });

  it('writes entries of its level and above', () => {
    const sut = createLogger({ level: 'warn', format: 'text' });
    sut.log('a log');
    sut.warn('a warning');
    sut.error('an error');
    expect(written.join('')).not.toContain('a log');
    expect(written.join('')).toMatch(/a warning[^]*an error/);
  });
});
