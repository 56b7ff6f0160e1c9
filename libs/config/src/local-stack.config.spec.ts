import { describe, expect, it } from '@jest/globals';
import { childEnvironment, readLocalStackConfig } from './local-stack.config.js';

describe(readLocalStackConfig.name, () => {
  it('lets the sandbox stand in for both providers when neither is configured', () => {
    expect(readLocalStackConfig({}).ownProviders).toEqual({ apns: false, fcm: false });
  });

  it.each(['APNS_HOST', 'APNS_KEY_FILE', 'APNS_CERTIFICATE_FILE', 'PUSH_APPS_FILE'])(
    'leaves a provider alone that is configured, by %s, and only that one',
    (name) => {
      const config = readLocalStackConfig({ [name]: '/keys/apns' });
      expect(config.ownProviders).toEqual({ apns: true, fcm: false });
    },
  );
});

describe(childEnvironment.name, () => {
  const [known = ''] = Object.keys(process.env);

  it('puts a default below what is set, and a given value on top of both', () => {
    const set = process.env[known];
    expect(childEnvironment({}, { [known]: 'default' })[known]).toBe(set);
    expect(childEnvironment({ [known]: 'given' }, { [known]: 'default' })[known]).toBe('given');
  });

  it('takes the default for a variable that is not set or set to nothing', () => {
    process.env['CARILLON_SPEC_EMPTY'] = '';
    const defaults = { CARILLON_SPEC_EMPTY: 'default', CARILLON_SPEC_UNSET: 'default' };
    expect(childEnvironment({}, defaults)).toMatchObject(defaults);
    delete process.env['CARILLON_SPEC_EMPTY'];
  });
});
