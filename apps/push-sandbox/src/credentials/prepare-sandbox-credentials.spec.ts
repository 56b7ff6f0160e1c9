import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isServerIdentityUsable } from './certificate-authority.js';
import { prepareSandboxCredentials } from './prepare-sandbox-credentials.js';

const address = { publicHost: '127.0.0.1', fcmPort: 1 };

describe(prepareSandboxCredentials.name, () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-credentials-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const contents = async () => {
    const names = (await readdir(folder)).toSorted();
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return Object.fromEntries(names.map((name, index) => [name, texts[index]]));
  };

  it('names the variable of a folder that cannot be made', async () => {
    const sut = prepareSandboxCredentials('/dev/null/sandbox', address);
    await expect(sut).rejects.toThrow('DATA_DIR: /dev/null/sandbox cannot be used');
  });

  it('keeps existing files', async () => {
    await prepareSandboxCredentials(folder, address);
    const before = await contents();
    await prepareSandboxCredentials(folder, address);
    expect(await contents()).toEqual(before);
    expect(Object.keys(before)).toEqual([
      'apns-certificate-ca-key.pem',
      'apns-certificate-ca.pem',
      'apns-certificate-key.pem',
      'apns-certificate.pem',
      'apns-key.p8',
      'apns.json',
      'ca.pem',
      'server-key.pem',
      'server.pem',
      'service-account.json',
    ]);
  });

  it('creates certificates that belong together, and replaces them when one is lost', async () => {
    const { server } = await prepareSandboxCredentials(folder, address);
    expect(isServerIdentityUsable(server, new Date())).toBe(true);

    await writeFile(join(folder, 'ca.pem'), 'lost');
    const again = await prepareSandboxCredentials(folder, address);
    expect(again.server).not.toEqual(server);
    expect(isServerIdentityUsable(again.server, new Date())).toBe(true);
    const mixed = { ...again.server, authority: server.authority };
    expect(isServerIdentityUsable(mixed, new Date())).toBe(false);
  });

  it('replaces certificates that expire soon', async () => {
    const { server } = await prepareSandboxCredentials(folder, address);
    const inTwoYearsAndThreeMonths = new Date(Date.now() + 820 * 86_400_000);
    expect(isServerIdentityUsable(server, inTwoYearsAndThreeMonths)).toBe(false);
  });

  it('adapts the token address to the port and keeps the key', async () => {
    const before = await prepareSandboxCredentials(folder, address);
    const after = await prepareSandboxCredentials(folder, { ...address, fcmPort: 2 });
    expect(after.fcm.tokenUri).toBe('https://127.0.0.1:2/token');
    expect(after.fcm.accessTokenSecret).toEqual(before.fcm.accessTokenSecret);
  });

  it('is valid for the name under which workers in other containers reach it', async () => {
    await prepareSandboxCredentials(folder, address);
    const host = 'push-sandbox';
    const { server, fcm } = await prepareSandboxCredentials(folder, {
      ...address,
      publicHost: host,
    });
    expect(isServerIdentityUsable(server, new Date(), host)).toBe(true);
    expect(isServerIdentityUsable(server, new Date(), '127.0.0.1')).toBe(true);
    expect(isServerIdentityUsable(server, new Date(), 'another')).toBe(false);
    expect(fcm.tokenUri).toBe('https://push-sandbox:1/token');
  });

  it('has ids of Apple that a compose file can name, also in a folder of an earlier release', async () => {
    const identity = join(folder, 'apns.json');
    await writeFile(identity, '{"key_id":"ABCDEFGHJK","team_id":"LMNPQRSTUV"}');
    const { apns } = await prepareSandboxCredentials(folder, address);
    expect(apns).toMatchObject({ keyId: 'SANDBOXKEY', teamId: 'SANDBOXORG' });
    expect(JSON.parse(await readFile(identity, 'utf8'))).toEqual({
      key_id: 'SANDBOXKEY',
      team_id: 'SANDBOXORG',
    });
  });
});
