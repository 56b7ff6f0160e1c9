import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { API_KEY_SECRET, EXTERNAL_URL } from '#auth';
import { deriveKey, openSealedText, sealText } from '#core';
import { Database } from '#database';
import { VideoCallsModule, VideoCallTokens } from '#video-calls';
import { createTestDatabase, type TestDatabase } from '../support/test-stores.js';
import { addAccount } from './auth.gateway.js';

let stores: TestDatabase;

beforeAll(async () => {
  stores = await createTestDatabase();
});
afterAll(() => stores.drop());

@Module({})
class GivenModule {}

/** The tokens of a program whose API keys are stored under this secret. */
async function tokensUnder(secret: Buffer): Promise<VideoCallTokens> {
  const given = [
    { provide: Database, useValue: stores.database },
    { provide: API_KEY_SECRET, useValue: secret },
    { provide: EXTERNAL_URL, useValue: new URL('http://chat.test') },
  ];
  const module = await Test.createTestingModule({
    imports: [
      {
        module: GivenModule,
        global: true,
        providers: given,
        exports: given.map(({ provide }) => provide),
      },
      VideoCallsModule.with({ deadlineMs: 100, webex: null, zoom: null }),
    ],
  }).compile();
  return module.get(VideoCallTokens);
}

const token = {
  accessToken: 'access',
  refreshToken: null,
  expiresAt: null,
  registration: 'one',
  refreshedUntil: null,
};

describe(VideoCallTokens.name, () => {
  const secret = randomBytes(32);

  it('tells who has one, of which provider', async () => {
    const sut = await tokensUnder(secret);
    const { userId } = await addAccount(stores.database);
    const owner = { userId, provider: 'webex' };
    expect(await sut.has(owner)).toBe(false);
    expect(await sut.store(owner, token)).toBe(true);
    expect(await sut.has(owner)).toBe(true);
    expect(await sut.has({ ...owner, provider: 'zoom' })).toBe(false);
  });

  it('changes and removes a token only as long as it is the one that was read', async () => {
    const sut = await tokensUnder(secret);
    const owner = { userId: (await addAccount(stores.database)).userId, provider: 'zoom' };
    await sut.store(owner, token);
    const read = await sut.find(owner);
    if (read === null) throw new Error('It was stored');
    expect(await sut.replace(read, { ...token, accessToken: 'first' })).not.toBeNull();
    expect(await sut.replace(read, { ...token, accessToken: 'second' })).toBeNull();
    await sut.remove(read);
    expect(await sut.find(owner)).toMatchObject({ token: { accessToken: 'first' } });
  });

  it('takes a token that was sealed under another secret for none, and overwrites it', async () => {
    const before = await tokensUnder(secret);
    const after = await tokensUnder(randomBytes(32));
    const owner = { userId: (await addAccount(stores.database)).userId, provider: 'webex' };
    await before.store(owner, token);
    expect(await after.find(owner)).toBeNull();
    expect(await after.store(owner, { ...token, accessToken: 'new' })).toBe(true);
    expect(await after.find(owner)).toMatchObject({ token: { accessToken: 'new' } });
  });

  it('gives nobody the token of another account, whose sealed token stands in the row', async () => {
    const sut = await tokensUnder(secret);
    const accounts = [await addAccount(stores.database), await addAccount(stores.database)];
    const [owner, other] = accounts.map(({ userId }) => ({ userId, provider: 'webex' }));
    if (owner === undefined || other === undefined) throw new Error('Two were added');
    await sut.store(owner, token);
    await sut.store(other, { ...token, accessToken: 'of the other' });
    const { prisma } = stores.database;
    const row = (of: typeof owner) => ({ where: { userId_provider: of } });
    const { sealed } = await prisma.videoCallToken.findUniqueOrThrow(row(other));
    await prisma.videoCallToken.update({ ...row(owner), data: { sealed } });
    await prisma.videoCallToken.create({ data: { ...other, provider: 'zoom', sealed } });
    expect(await sut.find(owner)).toBeNull();
    expect(await sut.find({ ...other, provider: 'zoom' })).toBeNull();
    expect(await sut.find(other)).toMatchObject({ token: { accessToken: 'of the other' } });
  });

  it('opens a token of a release that did not bind it, and binds it', async () => {
    const sut = await tokensUnder(secret);
    const owner = { userId: (await addAccount(stores.database)).userId, provider: 'webex' };
    const sealed = sealText(JSON.stringify(token), deriveKey(secret, 'video call tokens'));
    const { prisma } = stores.database;
    await prisma.videoCallToken.create({ data: { ...owner, sealed: new Uint8Array(sealed) } });
    expect(await sut.find(owner)).toMatchObject({ owner, token });
    const stored = await prisma.videoCallToken.findFirstOrThrow({ where: owner });
    const text = openSealedText(stored.sealed, deriveKey(secret, 'video call tokens'));
    // The earlier release reads the members that it knows.
    expect(JSON.parse(text)).toEqual({ ...token, owner });
  });

  it('stores none for nobody', async () => {
    const sut = await tokensUnder(secret);
    const { userId } = await addAccount(stores.database, { isActive: false });
    expect(await sut.store({ userId, provider: 'webex' }, token)).toBe(false);
    expect(await sut.store({ userId: 2_147_483_647, provider: 'webex' }, token)).toBe(false);
  });
});
