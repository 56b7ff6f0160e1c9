import { describe, expect, it } from '@jest/globals';
import { childEnvironment, readLocalStackConfig } from './local-stack.config.js';

describe(readLocalStackConfig.name, () => {
  it('uses the sandbox for all providers by default', () => {
    expect(readLocalStackConfig({}).ownProviders).toEqual({ apns: false, fcm: false, web: false });
  });

  it.each(['APNS_HOST', 'APNS_KEY_FILE', 'APNS_CERTIFICATE_FILE', 'PUSH_APPS_FILE'])(
    'keeps a provider that %s configures, and only that one',
    (name) => {
      const config = readLocalStackConfig({ [name]: '/keys/apns' });
      expect(config.ownProviders).toEqual({ apns: true, fcm: false, web: false });
    },
  );

  it.each(['WEB_PUSH_HOSTS', 'WEB_PUSH_CONTACT'])('keeps web push that %s configures', (name) => {
    expect(readLocalStackConfig({ [name]: '*' }).ownProviders.web).toBe(true);
  });

  it('is a push service, unless it sends through another one', () => {
    expect(readLocalStackConfig({}).isPushService).toBe(true);
    expect(readLocalStackConfig({ PUSH_SERVICE_ENABLED: 'false' }).isPushService).toBe(false);
    const relay = readLocalStackConfig({ PUSH_SERVICE_URL: 'https://push.example.org' });
    expect(relay.isPushService).toBe(false);
    // A worker that relays refuses credentials of its own.
    expect(relay.ownProviders).toEqual({ apns: true, fcm: true, web: false });
  });
});

describe(childEnvironment.name, () => {
  const [known = ''] = Object.keys(process.env);

  it('prefers a given value to a set one, and a set one to a default', () => {
    const set = process.env[known];
    expect(childEnvironment({}, { [known]: 'default' })[known]).toBe(set);
    expect(childEnvironment({ [known]: 'given' }, { [known]: 'default' })[known]).toBe('given');
  });

  it('uses the default for a variable that is missing or empty', () => {
    process.env['CARILLON_SPEC_EMPTY'] = '';
    const defaults = { CARILLON_SPEC_EMPTY: 'default', CARILLON_SPEC_UNSET: 'default' };
    expect(childEnvironment({}, defaults)).toMatchObject(defaults);
    delete process.env['CARILLON_SPEC_EMPTY'];
  });
});
