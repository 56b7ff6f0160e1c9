import { describe, expect, it } from '@jest/globals';
import { readPushWorkerConfig } from './push-worker.config.js';

const stores = { DATABASE_URL: 'postgresql://u@db/carillon', REDIS_URL: 'redis://cache' };
const read = (more: Readonly<Record<string, string>> = {}) =>
  readPushWorkerConfig({ ...stores, ...more }).webPush;

describe('the variables of web push', () => {
  it('permit the services of the browsers, and no private address, by default', () => {
    expect(read()).toMatchObject({
      endpoints: {
        hosts: [
          '*.push.services.mozilla.com',
          'fcm.googleapis.com',
          '*.push.apple.com',
          '*.notify.windows.com',
        ],
        ports: [],
        privateHosts: [],
      },
      contact: null,
    });
  });

  it('take hosts in any case, and ports', () => {
    const given = {
      WEB_PUSH_HOSTS: 'Push.Example.org, *.ntfy.test',
      WEB_PUSH_PORTS: '8443,9996',
      WEB_PUSH_PRIVATE_HOSTS: 'localhost',
    };
    expect(read(given).endpoints).toEqual({
      hosts: ['push.example.org', '*.ntfy.test'],
      ports: [8443, 9996],
      privateHosts: ['localhost'],
    });
  });

  it.each([
    ['WEB_PUSH_HOSTS', 'push.example.org:8443'],
    ['WEB_PUSH_HOSTS', 'https://push.example.org'],
    ['WEB_PUSH_HOSTS', 'push.*.org'],
    ['WEB_PUSH_HOSTS', '*example.org'],
    ['WEB_PUSH_HOSTS', '10.1.2.3'],
    ['WEB_PUSH_PORTS', '0'],
    ['WEB_PUSH_PORTS', '65536'],
    ['WEB_PUSH_PORTS', 'https'],
    ['WEB_PUSH_PRIVATE_HOSTS', '10.0.0.0/8'],
    ['WEB_PUSH_CONTACT', 'ops@example.org'],
    ['WEB_PUSH_CONTACT', 'mailto:ops'],
    ['WEB_PUSH_CONTACT', 'mailto:ops@localhost'],
    ['WEB_PUSH_CONTACT', 'http://example.org'],
    ['WEB_PUSH_CONTACT', 'https://localhost'],
  ])('refuse %s=%s', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(name);
  });

  it.each([
    [{ WEB_PUSH_CONTACT: 'mailto:ops@example.org' }, 'mailto:ops@example.org'],
    [{ EXTERNAL_URL: 'https://chat.example.org' }, 'https://chat.example.org'],
    [{ EXTERNAL_URL: 'http://chat.example.org' }, null],
    [{ EXTERNAL_URL: 'https://localhost' }, null],
  ])('have the contact of %j', (given, contact) => {
    expect(read(given).contact).toBe(contact);
  });

  it('demand that a proxy filters private addresses when users choose the hosts', () => {
    const proxy = { OUTBOUND_PROXY_URL: 'http://proxy.test:3128' };
    expect(() => read({ ...proxy, WEB_PUSH_HOSTS: '*' })).toThrow('WEB_PUSH_PROXY_FILTERS_PRIVATE');
    expect(read(proxy).endpoints.hosts).toHaveLength(4);
    const confirmed = { WEB_PUSH_HOSTS: '*', WEB_PUSH_PROXY_FILTERS_PRIVATE: 'true' };
    expect(read({ ...proxy, ...confirmed }).endpoints.hosts).toEqual(['*']);
    expect(read({ WEB_PUSH_HOSTS: '*' }).endpoints.hosts).toEqual(['*']);
  });
});
