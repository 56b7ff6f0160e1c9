import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis } from '../../deploy/local/redis-server.js';
import { basicAuthorization } from '#test/api-client';
import { silence } from '#test/throwaway-redis';
import { useSystem } from '#test/use-system';

const OTHERS = 0o077;

/** The files and folders below a folder with permissions for other accounts. */
async function openTo(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const modes = await Promise.all(
    names.map(async (name) => ({ name, mode: (await stat(path.join(folder, name))).mode })),
  );
  return modes.filter(({ mode }) => (mode & OTHERS) !== 0).map(({ name }) => name);
}

describe('Files of programs', () => {
  let umask: number;
  beforeAll(() => {
    // The default of most machines, on which no program may rely.
    umask = process.umask(0o022);
  });
  afterAll(() => void process.umask(umask));
  const system = useSystem({ programs: ['api-gateway'] });

  it('are accessible to their owner only, including unfinished uploads', async () => {
    const uploads = path.join(system.environmentOf('api-gateway')['DATA_DIR'] ?? '', 'uploads');
    const begun = await fetch(`${system.gatewayUrl}/api/v1/tus`, {
      method: 'POST',
      headers: {
        authorization: basicAuthorization(system.user('alice')),
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        'content-type': 'application/offset+octet-stream',
      },
      body: 'draft',
    });
    expect(begun.status).toBe(201);
    expect((await readdir(path.join(uploads, 'unfinished'))).length).toBeGreaterThan(0);
    expect(await openTo(uploads)).toEqual([]);
  });

  it('are in a private folder if they belong to Redis', async () => {
    const place = await mkdtemp(path.join(tmpdir(), 'carillon-modes-'));
    const folder = path.join(place, 'redis');
    const root = process.cwd();
    const redis = await startRedis({ root, folder, isThrowaway: false, progress: silence });
    try {
      expect((await stat(folder)).mode & OTHERS).toBe(0);
    } finally {
      await redis.stop();
      await rm(place, { recursive: true });
    }
  });
});
