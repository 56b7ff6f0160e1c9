import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { VideoCallsModule } from '#chat/video-calls';
import { API_KEY_SECRET, EXTERNAL_URL } from '#directory/auth';
import type { StateRequest } from '#events/declarations';
import { type EventLog, EventRepository, NO_EVENTS } from '#events/log';
import { deriveKey, openSealedText, sealText } from '#platform/core';
import { Database } from '#platform/database';
import { VideoCallEvents } from './video-calls.events.js';
import { VideoCallTokenRepository } from './video-call-token.repository.js';
import { addAccount } from '#test/auth-gateway';
import { useDatabase } from '#test/use-fixture';
import { VideoCallTokens } from './video-call-tokens.js';

const stores = useDatabase();

@Module({})
class GivenModule {}

/** The token store of a program with this secret. */
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

  it('stores a token for an account and a provider', async () => {
    const sut = await tokensUnder(secret);
    const { userId } = await addAccount(stores.database);
    const owner = { userId, provider: 'webex' };
    expect(await sut.find(owner)).toBeNull();
    expect(await sut.store(owner, token)).toBe(true);
    expect(await sut.find(owner)).toMatchObject({ token });
    expect(await sut.find({ ...owner, provider: 'zoom' })).toBeNull();
  });

  it('replaces and removes a token only if no other token was stored since', async () => {
    const sut = await tokensUnder(secret);
    const owner = { userId: (await addAccount(stores.database)).userId, provider: 'zoom' };
    await sut.store(owner, token);
    const read = await sut.find(owner);
    if (read === null) throw new Error('The token is missing');
    expect(await sut.replace(read, { ...token, accessToken: 'first' })).not.toBeNull();
    expect(await sut.replace(read, { ...token, accessToken: 'second' })).toBeNull();
    await sut.remove(read);
    expect(await sut.find(owner)).toMatchObject({ token: { accessToken: 'first' } });
  });

  it('writes an event for the first token of an account and for its removal', async () => {
    const { database } = stores;
    const sut = await tokensUnder(secret);
    const { userId, realmId } = await addAccount(database);
    const owner = { userId, provider: 'zoom' };
    await sut.store(owner, token);
    await sut.store(owner, { ...token, accessToken: 'newer' });
    const events = new VideoCallEvents(new VideoCallTokenRepository(database), {} as EventLog);
    const state = () =>
      // It reads nothing else of the request.
      database.snapshot((snapshot) =>
        events.readState({ caller: { userId }, snapshot } as StateRequest),
      );
    expect(await state()).toEqual({ has_webex_token: false, has_zoom_token: true });
    const read = await sut.find(owner);
    if (read === null) throw new Error('The token is missing');
    await sut.remove(read);
    await sut.remove(read);
    expect(await state()).toEqual({ has_webex_token: false, has_zoom_token: false });
    const stored = await new EventRepository(database).after(realmId, NO_EVENTS, 10);
    expect(stored).toMatchObject([
      { type: 'has_zoom_token', body: { value: true }, scope: 0, userIds: [userId] },
      { type: 'has_zoom_token', body: { value: false }, scope: 0, userIds: [userId] },
    ]);
  });

  it('ignores and overwrites a token that was sealed with another secret', async () => {
    const before = await tokensUnder(secret);
    const after = await tokensUnder(randomBytes(32));
    const owner = { userId: (await addAccount(stores.database)).userId, provider: 'webex' };
    await before.store(owner, token);
    expect(await after.find(owner)).toBeNull();
    expect(await after.store(owner, { ...token, accessToken: 'new' })).toBe(true);
    expect(await after.find(owner)).toMatchObject({ token: { accessToken: 'new' } });
  });

  it('ignores the sealed token of another account', async () => {
    const sut = await tokensUnder(secret);
    const accounts = [await addAccount(stores.database), await addAccount(stores.database)];
    const [owner, other] = accounts.map(({ userId }) => ({ userId, provider: 'webex' }));
    if (owner === undefined || other === undefined) throw new Error('Expected two accounts');
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

  it('reads a token without an owner and adds the owner', async () => {
    const sut = await tokensUnder(secret);
    const owner = { userId: (await addAccount(stores.database)).userId, provider: 'webex' };
    const sealed = sealText(JSON.stringify(token), deriveKey(secret, 'video call tokens'));
    const { prisma } = stores.database;
    await prisma.videoCallToken.create({ data: { ...owner, sealed: new Uint8Array(sealed) } });
    expect(await sut.find(owner)).toMatchObject({ owner, token });
    const stored = await prisma.videoCallToken.findFirstOrThrow({ where: owner });
    const text = openSealedText(stored.sealed, deriveKey(secret, 'video call tokens'));
    // Earlier releases read this text too.
    expect(JSON.parse(text)).toEqual({ ...token, owner });
  });

  it('stores no token for an unknown or deactivated account', async () => {
    const sut = await tokensUnder(secret);
    const { userId } = await addAccount(stores.database, { isActive: false });
    expect(await sut.store({ userId, provider: 'webex' }, token)).toBe(false);
    expect(await sut.store({ userId: 2_147_483_647, provider: 'webex' }, token)).toBe(false);
  });
});
