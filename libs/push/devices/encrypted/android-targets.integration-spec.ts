import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DirectTestService } from '#push/notifications';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { FakePushService } from '#test/fake-push-service';
import { androidToken, installationId } from '#test/push-tokens';
import { PushRegistrations } from '#test/push-registrations';
import { type Account, PushSystem } from '#test/push-system';
import { RecordingTransport } from '#test/recording-transport';

let service: FakePushService;
let direct: PushSystem;
let relaying: PushSystem;
let directKey: string;
const transport = new RecordingTransport();

beforeAll(async () => {
  direct = await PushSystem.start();
  directKey = await new PushRegistrations(direct).addPushKey();
  await direct.startWorker({ apns: transport, fcm: transport });
  service = await FakePushService.start();
  relaying = await PushSystem.start({ relay: service.settings });
  await relaying.startRelayWorker();
});
afterAll(async () => {
  await direct?.stop();
  await relaying?.stop();
  await service?.stop();
});

describe.each(['direct', 'relaying'])('The targets of an Android phone (%s)', (kind) => {
  let system: PushSystem;
  let phones: PushRegistrations;
  let account: Account;
  let publicKey: string;
  let fid: string;
  let token: string;

  beforeEach(async () => {
    system = kind === 'direct' ? direct : relaying;
    publicKey = kind === 'direct' ? directKey : service.publicKey;
    phones = new PushRegistrations(system);
    account = await system.addAccount();
    fid = installationId();
    token = `${fid}:APA91b`;
  });

  const prisma = () => system.database.prisma;
  const settled = () =>
    eventually(async () => {
      const waiting = await prisma().pushTokenRequest.count();
      expect(waiting + (await prisma().pushServiceChange.count())).toBe(0);
    });
  const register = async (target: string, by = account) => {
    await system.devices.register(by, { platform: 'fcm', token: target });
    await settled();
  };
  const registerEncrypted = async (target: string, by = account) => {
    const phone = EncryptedPhone.android(publicKey, target);
    await phones.register(by, phone);
    await settled();
    return phone.deviceId;
  };
  /** The targets of notifications: those in plain text, and the ids of client devices. */
  const targetsOf = async ({ userId }: Account) => {
    const plain = await system.tokensOf({ userId, keyGeneration: 1 });
    const devices = await prisma().clientDevice.findMany({
      where: { userId, pushTokenId: { not: null } },
    });
    return [...plain, ...devices.map(({ id }) => id)];
  };

  it('are one: its installation id ends its token, and the token the id', async () => {
    const others = [androidToken(), installationId(), `${fid}x:APA91b`, 'short:token', 'short'];
    for (const other of others) await register(other);
    for (const target of [token, fid, token]) {
      await register(target);
      expect((await targetsOf(account)).toSorted()).toEqual([...others, target].toSorted());
    }
    const rows = await prisma().pushDevice.findMany({ where: { userId: account.userId } });
    const kinds = rows.map(({ token: target, fcmTarget }) => [target, fcmTarget]);
    expect(kinds).toContainEqual([others[1], 'fid']);
    expect(kinds).toContainEqual([token, 'token']);
  });

  it('are those of one account: others on the phone keep theirs', async () => {
    const other = await system.addAccount();
    await register(token, other);
    const theirs = await registerEncrypted(token, other);
    await register(fid);
    await registerEncrypted(fid);
    expect(await targetsOf(other)).toEqual([theirs]);
    if (kind === 'relaying') return;
    const tokenId = new Uint8Array(
      Buffer.from(EncryptedPhone.android(publicKey, token).tokenId, 'base64'),
    );
    expect(await prisma().pushRegistration.count({ where: { tokenId } })).toBe(1);
  });

  it('are one when plain text follows encryption', async () => {
    await registerEncrypted(fid);
    await register(token);
    expect(await targetsOf(account)).toEqual([token]);
  });

  it('are one when the installation id follows for encryption', async () => {
    await register(token);
    const deviceId = await registerEncrypted(fid);
    expect(await targetsOf(account)).toEqual([deviceId]);
  });

  // On a server that relays only the push service has the tokens.
  if (kind === 'relaying') return;

  it('are one when the installation id follows in plain text', async () => {
    await registerEncrypted(token);
    await register(fid);
    expect(await targetsOf(account)).toEqual([fid]);
    expect(await prisma().pushRegistration.count({ where: { token } })).toBe(0);
  });

  it('are one when a token follows for encryption', async () => {
    await register(fid);
    const deviceId = await registerEncrypted(token);
    expect(await targetsOf(account)).toEqual([deviceId]);
  });

  it.each([
    ['id', () => [token, fid]],
    ['token', () => [fid, token]],
  ])('are one when the %s follows on another client device', async (_, targets) => {
    const [earlier = '', later = ''] = targets();
    const kept = await registerEncrypted(androidToken());
    const first = await registerEncrypted(earlier);
    const second = await registerEncrypted(later);
    expect(await targetsOf(account)).toEqual([kept, second]);
    expect(await phones.eventsOf(account)).toContainEqual({
      op: 'update',
      device_id: first,
      push_token_id: null,
    });
    const rows = await prisma().pushRegistration.findMany({
      where: { token: { in: [token, fid] } },
    });
    const fcmTarget = later === fid ? 'fid' : 'token';
    expect(rows).toMatchObject([{ token: later, fcmTarget }]);
  });

  it('is sent to as what it is registered as, also by the release before', async () => {
    const sent = () => transport.sent.filter((push) => [fid, token].includes(push.token));
    const sut = direct.service(DirectTestService);
    const test = async () => {
      const before = sent().length;
      await sut.send(account);
      await eventually(() => expect(sent()).toHaveLength(before + 1));
    };
    transport.answerWith(() => ({ kind: 'accepted' }));
    await register(fid);
    await test();
    await prisma().pushDevice.updateMany({ where: { token: fid }, data: { fcmTarget: null } });
    await test();
    await register(token);
    await test();
    expect(sent().map((push) => [push.token, push.fcmTarget])).toEqual([
      [fid, 'fid'],
      [fid, null],
      [token, 'token'],
    ]);
  });
});
