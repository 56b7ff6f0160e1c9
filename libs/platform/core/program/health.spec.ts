import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { checkHealth, type HealthCheck, neededAtStart, startHealthServer } from './health.js';

const working: HealthCheck = { name: 'working', check: () => Promise.resolve() };
const broken: HealthCheck = {
  name: 'broken',
  check: () => Promise.reject(new Error('no connection')),
};
const throwing: HealthCheck = {
  name: 'throwing',
  check: () => {
    throw new Error('no such thing');
  },
};

describe(checkHealth.name, () => {
  it('reports ok when all checks pass', async () => {
    expect(await checkHealth([working])).toEqual({ status: 'ok', failing: {} });
  });

  it('reports the failing parts and their errors', async () => {
    expect(await checkHealth([broken, working, throwing])).toEqual({
      status: 'failing',
      failing: { broken: 'no connection', throwing: 'no such thing' },
    });
  });

  it('reports ok with warnings', async () => {
    expect(await checkHealth([working, { ...broken, isWarning: true }])).toEqual({
      status: 'ok',
      failing: {},
      warnings: { broken: 'no connection' },
    });
  });

  it('reports a part that does not answer in time', async () => {
    jest.useFakeTimers();
    const report = checkHealth([{ name: 'silent', check: () => new Promise(() => {}) }, working]);
    await jest.advanceTimersByTimeAsync(2001);
    jest.useRealTimers();
    expect(await report).toEqual({ status: 'failing', failing: { silent: 'does not answer' } });
  });
});

describe(neededAtStart.name, () => {
  it('fails until it has passed once, and warns afterwards', async () => {
    let part = broken;
    const place = 'db:5432 (DATABASE_URL)';
    const sut = neededAtStart({ name: 'store', place, check: () => part.check() });
    expect(sut.place).toBe(place);
    expect(await checkHealth([sut])).toMatchObject({ failing: { store: 'no connection' } });
    part = working;
    expect(await checkHealth([sut])).toEqual({ status: 'ok', failing: {} });
    part = broken;
    expect(await checkHealth([sut])).toEqual({
      status: 'ok',
      failing: {},
      warnings: { store: 'no connection' },
    });
  });
});

describe(startHealthServer.name, () => {
  const checks: HealthCheck[] = [];
  let server: Server;

  const get = (path: string) =>
    // The server listens on TCP.
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

  beforeEach(async () => {
    checks.splice(0, checks.length, working);
    server = await startHealthServer({ host: '127.0.0.1', port: 0 }, checks);
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('answers ready while all checks pass', async () => {
    const reply = await get('/health/ready');
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({ status: 'ok', failing: {} });
  });

  it('answers live but not ready while a check fails', async () => {
    checks.push(broken);
    expect((await get('/health/live')).status).toBe(200);
    const reply = await get('/health/ready');
    expect(reply.status).toBe(503);
    expect(await reply.json()).toEqual({ status: 'failing', failing: { broken: 'no connection' } });
  });

  it('answers 404 for other paths', async () => {
    expect((await get('/')).status).toBe(404);
    expect((await get('/metrics')).status).toBe(404);
  });

  it('serves metrics if there are any', async () => {
    const metrics = { contentType: 'text/plain; version=0.0.4', read: async () => 'up 1\n' };
    const other = await startHealthServer({ host: '127.0.0.1', port: 0 }, checks, metrics);
    const { port } = other.address() as AddressInfo; // As above.
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4');
    expect(await reply.text()).toBe('up 1\n');
    other.closeAllConnections();
    other.close();
  });

  it('rejects when the port is in use', async () => {
    const { port } = server.address() as AddressInfo; // As above.
    await expect(startHealthServer({ host: '127.0.0.1', port }, [])).rejects.toThrow('EADDRINUSE');
  });
});
