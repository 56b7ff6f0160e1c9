import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readAuthority } from './read-authority.js';

describe(readAuthority.name, () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carillon-authority-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reads an authority in PEM, if there is one', async () => {
    const [pem = ''] = rootCertificates;
    const file = path.join(folder, 'ca.pem');
    await writeFile(file, pem);
    expect(await readAuthority('APNS_CA_FILE', file)).toBe(pem);
    expect(await readAuthority('APNS_CA_FILE', undefined)).toBeUndefined();
  });

  it('names the variable of a file that is missing or faulty', async () => {
    const file = path.join(folder, 'text.pem');
    await expect(readAuthority('FCM_CA_FILE', file)).rejects.toThrow(
      `FCM_CA_FILE (${file}): there is no such file`,
    );
    await writeFile(file, 'no certificate');
    await expect(readAuthority('FCM_CA_FILE', file)).rejects.toThrow(
      `FCM_CA_FILE (${file}): expected a certificate in PEM`,
    );
  });
});
