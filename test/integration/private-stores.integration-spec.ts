import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientOf } from '#platform/database';
import { eventually } from '#test/eventually';
import { silence, withRedis } from '#test/throwaway-redis';
import { startPostgres } from '../../deploy/local/postgres-server.js';
import { pingRedis, startRedis } from '../../deploy/local/redis-server.js';
import { Supervisor } from '../../deploy/local/supervisor.js';

const RESTART_DEADLINE_MS = 60_000;

describe('A supervisor', () => {
  let folder: string;
  let lines: string[];
  let sut: Supervisor;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carillon-stores-'));
    // As root, PostgreSQL runs as another account, which must enter the folder.
    await chmod(folder, 0o711);
    lines = [];
    const progress = { ...silence, print: (text: string) => void lines.push(text) };
    sut = new Supervisor(process.cwd(), ['PostgreSQL'], progress);
  });

  afterEach(async () => {
    await sut.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const options = () => ({ root: process.cwd(), folder, isThrowaway: false, progress: silence });

  it('starts an ended Redis again on its port and data, and stops it at the end', async () => {
    const server = await startRedis(options());
    sut.watch('Redis', server);
    await withRedis(server.url, (redis) => redis.set('kept', 'yes'));
    server.process.kill();
    await eventually(async () => {
      expect(await withRedis(server.url, (redis) => redis.get('kept'))).toBe('yes');
    }, RESTART_DEADLINE_MS);
    expect(lines).toEqual(['Redis      │ ended (SIGKILL); starting it again in 0.5 s']);
    await sut.stop();
    await expect(pingRedis(server.url)).rejects.toThrow('ECONNREFUSED');
  });

  it('starts an ended PostgreSQL again on its port and data', async () => {
    const server = await startPostgres(options());
    sut.watch('PostgreSQL', server);
    await query(server.url, 'CREATE TABLE kept (value int)');
    server.process.kill();
    await eventually(
      async () => expect(await query(server.url, 'SELECT FROM kept')).toBe(0),
      RESTART_DEADLINE_MS,
    );
    expect(lines[0]).toBe('PostgreSQL │ ended (SIGKILL); starting it again in 0.5 s');
  });
});

async function query(url: string, sql: string): Promise<number | null> {
  const client = clientOf(url, { connectionTimeoutMillis: 1000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rowCount;
  } finally {
    await client.end();
  }
}
