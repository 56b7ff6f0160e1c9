import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { VapidSignIns } from './vapid-check.js';

const AUDIENCE = 'https://push.example.org';
const NOW = 1_900_000_000;
const LIFETIME_SECONDS = 600;

async function signIn(): Promise<{ header: string; key: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  const key = Buffer.concat(point).toString('base64url');
  const token = await new SignJWT()
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(AUDIENCE)
    .setExpirationTime(NOW + LIFETIME_SECONDS)
    .setSubject('mailto:ops@example.org')
    .sign(privateKey);
  return { header: `vapid t=${token}, k=${key}`, key };
}

const after = (seconds: number) => new Date((NOW + seconds) * 1000);

describe(VapidSignIns.name, () => {
  it('knows a sign-in until it ends, for its audience only', async () => {
    const sut = new VapidSignIns();
    const { header, key } = await signIn();
    for (const seconds of [0, 1, LIFETIME_SECONDS - 1]) {
      expect(await sut.check(header, AUDIENCE, after(seconds))).toMatchObject({ key });
    }
    expect(await sut.check(header, AUDIENCE, after(LIFETIME_SECONDS))).toHaveProperty('fault');
    expect(await sut.check(header, 'https://other.example', after(0))).toHaveProperty('fault');
  });

  it('checks the signature of a sign-in with another key', async () => {
    const sut = new VapidSignIns();
    const { header, key } = await signIn();
    await sut.check(header, AUDIENCE, after(0));
    const forged = header.replace(key, (await signIn()).key);
    expect(await sut.check(forged, AUDIENCE, after(0))).toHaveProperty('fault');
  });
});
