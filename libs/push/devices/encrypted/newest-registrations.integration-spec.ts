import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DirectTestService } from '#push/notifications';
import { type OutgoingPush, refusal } from '#push/providers';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { FakePushService } from '#test/fake-push-service';
import { iphoneToken } from '#test/push-tokens';
import { PushRegistrations } from '#test/push-registrations';
import { type Account, type PushSystem, usePushSystem } from '#test/push-system';
import { RecordingTransport } from '#test/recording-transport';
import { useFixture } from '#test/use-fixture';

const DAY_MS = 86_400_000;

const direct = usePushSystem();
const service = useFixture(() => FakePushService.start());
const relaying = usePushSystem(() => ({ relay: service.settings }));
let directKey: string;
const transport = new RecordingTransport();

beforeAll(async () => {
  directKey = await new PushRegistrations(direct).addPushKey();
  await direct.startWorker({ apns: transport, fcm: transport });
  await relaying.startRelayWorker();
});

describe.each(['direct', 'relaying'])('The newest registration of a token (%s)', (kind) => {
  let system: PushSystem;
  let phones: PushRegistrations;
  let account: Account;
  let token: string;
  let publicKey: string;

  beforeEach(async () => {
    system = kind === 'direct' ? direct : relaying;
    publicKey = kind === 'direct' ? directKey : service.publicKey;
    phones = new PushRegistrations(system);
    account = await system.addAccount();
    token = iphoneToken();
  });

  const prisma = () => system.database.prisma;
  const phone = (spelling = token) => EncryptedPhone.iphone(publicKey, spelling);

  /** Resolves when the push service has answered everything. */
  const settled = () =>
    eventually(async () => {
      const waiting = await prisma().pushTokenRequest.count();
      expect(waiting + (await prisma().pushServiceChange.count())).toBe(0);
    });
  const register = async (one: EncryptedPhone, by = account) => {
    if (one.deviceId === 0) await phones.register(by, one);
    else await phones.registerAgain(by, one);
    await settled();
    return one;
  };
  const registerPlainText = async (spelling = token, by = account) => {
    await system.devices.register(by, { platform: 'apns', token: spelling, appId: 'org.a' });
    await settled();
  };
  /** A day passes for a client device, so that its next registration is a refresh. */
  const waitADay = ({ deviceId: id }: EncryptedPhone) =>
    prisma().clientDevice.update({
      where: { id },
      data: { tokenUpdatedAt: new Date(Date.now() - DAY_MS) },
    });
  /** What notifications of an account are sent to: ids of client devices, and "plain text". */
  const targetsOf = async ({ userId }: Account) => {
    const devices = await prisma().clientDevice.findMany({ where: { userId } });
    const active = devices.filter(({ pushTokenId }) => pushTokenId !== null).map(({ id }) => id);
    const plain = await system.tokensOf({ userId, keyGeneration: 1 });
    return [...active, ...plain.map(() => 'plain text')];
  };

  it('is that of a second client device, and the first learns that it has no token', async () => {
    const first = await register(phone());
    const second = await register(phone());
    expect(await targetsOf(account)).toEqual([second.deviceId]);
    expect(await phones.eventsOf(account)).toContainEqual({
      op: 'update',
      device_id: first.deviceId,
      push_token_id: null,
    });
    // Its app registers the token again.
    await register(first);
    expect(await targetsOf(account)).toEqual([first.deviceId]);
  });

  it('may be in plain text', async () => {
    const encrypted = await register(phone());
    await registerPlainText();
    expect(await targetsOf(account)).toEqual(['plain text']);
    await register(encrypted);
    expect(await targetsOf(account)).toEqual([encrypted.deviceId]);
    await registerPlainText();
    await registerPlainText();
    expect(await targetsOf(account)).toEqual(['plain text']);
  });

  it.each([
    ['lower case', (given: string) => given],
    ['capitals', (given: string) => given.toUpperCase()],
  ])('may be in %s', async (_, spelled) => {
    const other = (given: string) => (given === token.toUpperCase() ? token : token.toUpperCase());
    await registerPlainText(spelled(token));
    const encrypted = await register(phone(other(spelled(token))));
    expect(await targetsOf(account)).toEqual([encrypted.deviceId]);
    await registerPlainText(spelled(token));
    expect(await targetsOf(account)).toEqual(['plain text']);
  });

  it('may be the refresh of an older one', async () => {
    const first = await register(phone());
    const second = await register(phone());
    await prisma().clientDevice.update({
      where: { id: first.deviceId },
      // As the release before stored it.
      data: { pushTokenId: new Uint8Array(Buffer.from(first.tokenId, 'base64')), platform: 'apns' },
    });
    await prisma().pushDevice.create({
      data: {
        userId: account.userId,
        platform: 'apns',
        token,
        tokenDigest: await digestOf(token),
        keyGeneration: 1,
      },
    });
    expect(await targetsOf(account)).toHaveLength(3);
    await waitADay(second);
    await register(second);
    expect(await targetsOf(account)).toEqual([second.deviceId]);
  });

  it('does not silence other accounts on the phone', async () => {
    const others = await Promise.all([system.addAccount(), system.addAccount()]);
    const [one, other] = others;
    const theirs = await register(phone(), one);
    await registerPlainText(token, other);
    const own = await register(phone());
    await registerPlainText();
    await register(own);
    expect(await targetsOf(account)).toEqual([own.deviceId]);
    expect(await targetsOf(one)).toEqual([theirs.deviceId]);
    expect(await targetsOf(other)).toEqual(['plain text']);
  });

  it('is one of concurrent ones', async () => {
    const many = Array.from({ length: 6 }, () => phone());
    await Promise.all([
      ...many.map((one) => phones.register(account, one)),
      system.devices.register(account, { platform: 'apns', token, appId: 'org.a' }),
    ]);
    await settled();
    expect(await targetsOf(account)).toHaveLength(1);
  });

  it('wins over an older one whose answer comes later', async () => {
    const late = phone();
    await phones.register(account, late, { servicePublicKey: await unanswered() });
    const newest = await register(phone());
    expect(await targetsOf(account)).toEqual([newest.deviceId]);
    const pending = { where: { id: late.deviceId } };
    expect(await prisma().clientDevice.findUniqueOrThrow(pending)).toMatchObject({
      pendingTokenId: null,
      errorCode: null,
    });
    expect(await phones.eventsOf(account)).toContainEqual({
      op: 'update',
      device_id: late.deviceId,
      pending_push_token_id: null,
    });
  });

  /** A key for whose registrations the push service has no answer yet. */
  async function unanswered(): Promise<string> {
    if (kind === 'direct') return phones.addUnreadablePushKey();
    service.fault = ({ fields }) => {
      if (fields['bouncer_public_key'] !== 'slow') return null;
      return { kind: 'answer', status: 503, body: '' };
    };
    return 'slow';
  }
  const digestOf = async (text: string) => {
    const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return new Uint8Array(bytes);
  };
});

describe('A push that waits when another device registers its token', () => {
  const readable = ({ content }: OutgoingPush, by: EncryptedPhone) =>
    content.kind === 'encrypted' && content.keyId === by.keyId;

  it('is not sent with the key of before', async () => {
    const phones = new PushRegistrations(direct);
    const account = await direct.addAccount();
    const first = EncryptedPhone.android(directKey);
    const second = EncryptedPhone.android(directKey, first.token);
    const sent = () => transport.sent.filter(({ token }) => token === first.token);
    const settled = () =>
      eventually(async () => expect(await direct.database.prisma.pushTokenRequest.count()).toBe(0));
    await phones.register(account, first);
    await settled();
    transport.answerWith(() => refusal({ status: 503, reason: 'UNAVAILABLE' }));
    await direct.service(DirectTestService).sendEncrypted(account, null);
    await eventually(() => expect(sent()).toHaveLength(1));
    await phones.register(account, second);
    await settled();
    transport.answerWith(() => ({ kind: 'accepted' }));
    expect(await direct.service(DirectTestService).sendEncrypted(account, null)).toBe(1);
    await eventually(async () => {
      const states = (await direct.deliveriesOf(account)).map(({ state }) => state);
      expect(states).not.toContain('pending');
    });
    expect(sent().filter((push) => readable(push, first))).toHaveLength(1);
    expect(sent().filter((push) => readable(push, second))).toHaveLength(1);
  });
});
