import { describe, expect, it } from '@jest/globals';
import { readApiGatewayConfig } from './api-gateway.config.js';
import { z } from 'zod';
import { pushServiceVariables } from './push-service.variables.js';

describe('RATE_LIMIT_SERVER_UPLOADS', () => {
  it('lets a server import a thousand accounts in a minute: each makes an upload after a question', () => {
    const { RATE_LIMIT_SERVER_UPLOADS: rules } = z.object(pushServiceVariables).parse({});
    for (const { seconds, calls } of rules) {
      expect(calls).toBeGreaterThan((2 * 1000 * seconds) / 60);
    }
  });
});

describe('PUSH_SERVICE_PROXY_FILTERS_PRIVATE', () => {
  const read = (more: Readonly<Record<string, string>>) => () =>
    readApiGatewayConfig({
      DATABASE_URL: 'postgresql://u@db/carillon',
      REDIS_URL: 'redis://cache',
      API_KEY_SECRET: Buffer.alloc(32, 1).toString('base64'),
      PUSH_KEY_SECRET: Buffer.alloc(32, 2).toString('base64'),
      PUSH_SERVICE_ENABLED: 'true',
      HTTPS_PROXY: 'http://proxy.test',
      ...more,
    });

  it('has to be set where a proxy resolves the names of other servers', () => {
    expect(read({})).toThrow('set PUSH_SERVICE_PROXY_FILTERS_PRIVATE=true');
    expect(read({ PUSH_SERVICE_PROXY_FILTERS_PRIVATE: 'true' })).not.toThrow();
  });

  it.each([
    ['without a push service', { PUSH_SERVICE_ENABLED: 'false' }],
    ['without a proxy', { NO_PROXY: '*' }],
    ['where private addresses are allowed', { PUSH_SERVICE_PRIVATE_HOSTS: 'true' }],
  ])('is not needed %s', (_, more: Readonly<Record<string, string>>) => {
    expect(read(more)).not.toThrow();
  });
});
