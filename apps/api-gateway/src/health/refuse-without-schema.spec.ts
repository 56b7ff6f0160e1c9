import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { refuseWithoutSchema } from './refuse-without-schema.js';

let app: FastifyInstance;
let checks: ((failure?: Error) => void)[];
let isPassed: boolean;

beforeEach(() => {
  app = fastify();
  checks = [];
  isPassed = false;
  const check = () =>
    new Promise<void>((resolve, reject) => {
      checks.push((failure) => {
        isPassed = failure === undefined;
        if (failure === undefined) resolve();
        else reject(failure);
      });
    });
  refuseWithoutSchema(app, { hasSchema: () => isPassed, schema: { name: 'schema', check } });
  app.get('/api', () => 'answer');
  app.get('/health/ready', () => 'health');
});
afterEach(() => app.close());

const statusOf = async (path: string): Promise<number> => (await app.inject(path)).statusCode;

describe(refuseWithoutSchema.name, () => {
  it('lets the first requests wait for one check', async () => {
    const waiting = [statusOf('/api'), statusOf('/api')];
    expect(await statusOf('/health/ready')).toBe(200);
    expect(checks).toHaveLength(1);
    checks[0]?.();
    expect(await Promise.all(waiting)).toEqual([200, 200]);
    expect(await statusOf('/api')).toBe(200);
    expect(checks).toHaveLength(1);
  });

  it('refuses them when the check fails, and checks again for the next request', async () => {
    const refused = statusOf('/api');
    await statusOf('/health/ready');
    checks[0]?.(new Error('the database lacks a migration'));
    expect(await refused).toBe(503);
    const next = statusOf('/api');
    await statusOf('/health/ready');
    checks[1]?.();
    expect(await next).toBe(200);
  });
});
