import { describe, expect, it } from '@jest/globals';
import { readLoggingConfig } from './logging.config.js';

describe(readLoggingConfig.name, () => {
  it('takes what is set', () => {
    expect(readLoggingConfig({ LOG_LEVEL: 'debug', LOG_FORMAT: 'text' })).toEqual({
      level: 'debug',
      format: 'text',
    });
  });

  it.each([{}, { LOG_LEVEL: '', LOG_FORMAT: '' }, { LOG_LEVEL: 'loud', LOG_FORMAT: 'yaml' }])(
    'has the defaults for %p, and never throws',
    (environment) => {
      expect(readLoggingConfig(environment)).toEqual({ level: 'log', format: 'json' });
    },
  );
});
