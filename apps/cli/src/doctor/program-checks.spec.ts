import { describe, expect, it } from '@jest/globals';
import { checkGateway, checkPresence, checkWorker } from './program-checks.js';

describe.each([
  [checkGateway.name, checkGateway, 'GATEWAY_METRICS_PORT'],
  [checkPresence.name, checkPresence, 'PRESENCE_HEALTH_PORT'],
  [checkWorker.name, checkWorker, 'PUSH_HEALTH_PORT'],
])('%s', (_, check, portVariable) => {
  it('asks nothing in a shell beside `npm start`, which moves its ports with the same variables', async () => {
    expect(await check({ [portVariable]: '1' })).toEqual([]);
  });

  it('names the missing variables of a program', async () => {
    const found = await check({ [portVariable]: '1', REDIS_URL: 'redis://127.0.0.1:1' });
    expect(found).toMatchObject([
      { level: 'problem', text: expect.stringContaining('DATABASE_URL is not set') },
    ]);
  });
});
