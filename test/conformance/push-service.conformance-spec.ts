import { beforeAll, describe, expect, it } from '@jest/globals';
import { PUSH_SERVICE, type PushService, type RegistrationAnswer } from '#push/tokens';
import { EncryptedPhone } from '#test/encrypted-phone';
import { FakePushService } from '#test/fake-push-service';
import { PushRegistrations } from '#test/push-registrations';
import { PushSystem } from '#test/push-system';
import { RemoteServer } from '#test/remote-server';
import { startGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

/** A push service for the organisation of a system. */
interface StartedService {
  readonly system: PushSystem;
  /** Of the key that phones seal to, in base64. */
  readonly publicKey: string;
  stop(): Promise<void>;
}

async function startDirect(): Promise<StartedService> {
  const system = await PushSystem.start();
  const publicKey = await new PushRegistrations(system).addPushKey();
  return { system, publicKey, stop: () => system.stop() };
}

async function startRelayToGateway(): Promise<StartedService> {
  const gateway = await startGateway();
  const { id: orgId, key: orgKey } = await RemoteServer.register(gateway.gatewayUrl);
  const externalUrl = 'https://chat.example.org';
  const system = await PushSystem.start({
    relay: { url: gateway.gatewayUrl, orgId, orgKey, externalUrl },
  });
  await system.startRelayWorker();
  return {
    system,
    publicKey: gateway.demo.push_service.public_key,
    stop: async () => {
      await system.stop();
      await gateway.stop();
    },
  };
}

async function startRelayToFake(): Promise<StartedService> {
  const service = await FakePushService.start();
  const system = await PushSystem.start({ relay: service.settings });
  await system.startRelayWorker();
  return {
    system,
    publicKey: service.publicKey,
    stop: async () => {
      await system.stop();
      await service.stop();
    },
  };
}

const DAY_SECONDS = 86_400;
const now = () => Math.floor(Date.now() / 1000);
const refused = (code: string): RegistrationAnswer => ({ kind: 'refused', code });

describe.each([
  ['of this server', startDirect],
  ['of another Carillon server', startRelayToGateway],
  ['of another server, written from the protocol', startRelayToFake],
])('The push service %s', (_, start) => {
  const started = useFixture(() => start());
  let sut: PushService;

  beforeAll(async () => {
    sut = started.system.service<PushService>(PUSH_SERVICE as never);
  });

  const register = (
    phone: EncryptedPhone,
    fields: ReturnType<EncryptedPhone['tokenFields']> = phone.tokenFields(),
  ) =>
    sut.register({
      realmId: started.system.realmId,
      tokenId: Buffer.from(fields.token_id, 'base64'),
      servicePublicKey: fields.bouncer_public_key,
      sealed: fields.encrypted_push_registration,
    });
  const newPhone = () => EncryptedPhone.android(started.publicKey);

  it('registers devices', async () => {
    expect(await sut.isReady()).toBe(true);
  });

  it.each(['iphone', 'android'] as const)('accepts an %s, also again', async (kind) => {
    const phone = EncryptedPhone[kind](started.publicKey);
    const first = await register(phone);
    expect(first).toMatchObject({
      kind: 'registered',
      tokenIds: expect.arrayContaining([Buffer.from(phone.tokenId, 'base64')]),
    });
    const platform = first.kind === 'registered' ? first.platform : undefined;
    // A service that does not answer the platform leaves that of the request.
    expect([null, phone.platform]).toContain(platform);
    expect(await register(phone)).toEqual(first);
  });

  it.each([
    ['an unknown key', { servicePublicKey: Buffer.alloc(32).toString('base64') }],
    ['no key', { servicePublicKey: 'no key' }],
  ])('refuses %s', async (_what, peculiarities) => {
    const phone = newPhone();
    expect(await register(phone, phone.tokenFields(peculiarities))).toEqual(
      refused('INVALID_BOUNCER_PUBLIC_KEY'),
    );
  });

  it.each([
    ['too long ago', -DAY_SECONDS - 3600],
    ['by a clock that is far ahead', DAY_SECONDS + 3600],
  ])('refuses a registration that was sealed %s', async (_what, offset) => {
    const phone = newPhone();
    expect(await register(phone, phone.tokenFields({ timestamp: now() + offset }))).toEqual(
      refused('REQUEST_EXPIRED'),
    );
  });

  it.each([
    ['for another token', () => newPhone().tokenFields().encrypted_push_registration],
    ['to another key', () => Buffer.alloc(200).toString('base64')],
    ['and is no base64', () => 'ä'],
  ])('refuses what was sealed %s', async (_what, sealed) => {
    const phone = newPhone();
    const fields = { ...phone.tokenFields(), encrypted_push_registration: sealed() };
    expect(await register(phone, fields)).toEqual(refused('INVALID_ENCRYPTED_PUSH_REGISTRATION'));
    expect(await register(phone)).toMatchObject({ kind: 'registered' });
  });

  it('refuses a time that is no whole number', async () => {
    const phone = newPhone();
    expect(await register(phone, phone.tokenFields({ timestamp: 1.5 }))).toEqual(
      refused('INVALID_ENCRYPTED_PUSH_REGISTRATION'),
    );
  });
});
