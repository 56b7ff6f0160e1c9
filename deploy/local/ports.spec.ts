import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isPortFree, listenerOn, rememberedPort } from './ports.js';

describe('ports', () => {
  let server: Server;
  let folder: string;
  let taken: number;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-ports-'));
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    taken = typeof address === 'object' && address !== null ? address.port : 0;
  });

  afterEach(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  it('distinguishes a port in use from a free one', async () => {
    expect(await isPortFree(taken)).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await isPortFree(taken)).toBe(true);
  });

  it('names the listener if the system provides it', () => {
    const named = process.platform === 'linux' ? `process ${process.pid} (` : 'undefined';
    expect(String(listenerOn(taken))).toContain(named);
  });

  it('returns the same port again while it is free', async () => {
    const file = path.join(folder, 'port');
    const chosen = await rememberedPort(file);
    expect(await rememberedPort(file)).toBe(chosen);
    expect(Number(readFileSync(file, 'utf8'))).toBe(chosen);
  });

  it('chooses another port when the stored one is in use', async () => {
    const file = path.join(folder, 'port');
    const chosen = await rememberedPort(file);
    const thief = createServer().listen(chosen, '127.0.0.1');
    await once(thief, 'listening');
    expect(await rememberedPort(file)).not.toBe(chosen);
    thief.close();
  });
});
