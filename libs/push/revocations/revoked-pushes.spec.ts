import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PubSub, Topic } from '#platform/redis';
import { PushRevocations } from './push-revocations.js';
import { RevokedPushes } from './revoked-pushes.js';

/** Delivers messages within this process, and resolves when the acknowledgement was published. */
class LocalPubSub {
  readonly #handlers = new Map<string, (message: unknown) => Promise<void>>();
  readonly acks: string[] = [];
  /** Whether each message was acknowledged. */
  readonly acknowledged: boolean[] = [];

  onMessage<Message>(
    { name, schema }: Topic<Message>,
    handler: (message: Message) => Promise<void>,
  ): void {
    this.#handlers.set(name, (message) => handler(schema.parse(message)));
  }

  publish<Message>({ name, schema }: Topic<Message>, ack: Message): void {
    schema.parse(ack);
    this.acks.push(name);
  }

  async publishAcknowledged<Message>(
    { name }: Topic<Message>,
    message: Message,
    acks: Topic<unknown>,
  ): Promise<boolean> {
    await this.#handlers.get(name)?.(message);
    const isAcknowledged = this.acks.includes(acks.name);
    this.acknowledged.push(isAcknowledged);
    return isAcknowledged;
  }
}

describe(RevokedPushes.name, () => {
  let local: LocalPubSub;
  let revocations: PushRevocations;
  let sut: RevokedPushes;

  beforeEach(() => {
    const options = { prefix: 'test' };
    local = new LocalPubSub();
    const pubSub = local as unknown as PubSub;
    revocations = new PushRevocations(pubSub, options);
    sut = new RevokedPushes(pubSub, options);
    sut.onModuleInit();
  });

  afterEach(() => expect(new Set(local.acknowledged)).toEqual(new Set([true])));

  const push = (keyGeneration: number) => ({
    subjects: ['account 5', 'device 7'] as const,
    claimStartedAt: performance.now(),
    keyGeneration,
  });
  const replaceKey = (keyGeneration: number) =>
    revocations.revokeOlderKeys({ outboxId: String(keyGeneration), userId: 5, keyGeneration });

  it('revokes the pushes to devices of older keys, whenever they were claimed', async () => {
    const [older, newer] = [push(2), push(3)];
    await replaceKey(3);
    // Two revocations in a row may arrive in the other order.
    await replaceKey(1);
    expect([older, newer, push(2), push(3)].map((claimed) => sut.isRevoked(claimed))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it.each([
    ['account', () => revocations.revokeAccounts([4, 5])],
    ['device', () => revocations.revokeDevices([7, 8])],
  ])(
    'revokes the pushes that were claimed before the revocation of their %s',
    async (_, revoke) => {
      const before = push(1);
      await revoke();
      expect(sut.isRevoked(before)).toBe(true);
      expect(sut.isRevoked({ ...before, subjects: ['account 6', 'device 9'] })).toBe(false);
      expect(sut.isRevoked(push(1))).toBe(false);
    },
  );

  it.each(['server', 'realm'] as const)('revokes the pushes of a stopped %s', async (kind) => {
    const before = {
      subjects: ['server 1', 'realm 2'] as const,
      claimStartedAt: performance.now(),
    };
    await revocations.revokeSender(kind, kind === 'server' ? 1 : 2);
    expect(sut.isRevoked(before)).toBe(true);
    expect(sut.isRevoked({ ...before, claimStartedAt: performance.now() })).toBe(false);
  });

  it('keeps the revoked key of an account that is also deactivated', async () => {
    await replaceKey(3);
    await revocations.revokeAccounts([5]);
    expect([sut.isRevoked(push(2)), sut.isRevoked(push(3))]).toEqual([true, false]);
  });

  it('keeps the revocation of an account whose key is replaced later', async () => {
    const before = push(3);
    await revocations.revokeAccounts([5]);
    await replaceKey(3);
    expect([sut.isRevoked(before), sut.isRevoked(push(3))]).toEqual([true, false]);
  });

  it('acknowledges when the pushes in flight to the subjects are answered', async () => {
    const events: string[] = [];
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    void sut.track(['account 5', 'device 7'], answered);
    void sut.track(['device 9'], new Promise(() => undefined));
    const removing = revocations.revokeDevices([7]).then(() => events.push('acknowledged'));
    await new Promise((resolve) => setImmediate(resolve));
    events.push('answered');
    answer();
    await removing;
    expect(events).toEqual(['answered', 'acknowledged']);
  });
});
