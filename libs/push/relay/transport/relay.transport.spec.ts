import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NO_RECIPIENT, outcomeOf, type OutgoingPush } from '#push/providers';
import type { PushServiceClient } from '../push-service-client.js';
import { RelayTransport } from './relay.transport.js';

const push: OutgoingPush = {
  notificationId: 'n',
  deliveryId: 'd',
  token: 'AAAAAAAAAAA=',
  appId: null,
  environment: null,
  expiresAt: 0,
  recipient: NO_RECIPIENT,
  content: { kind: 'encrypted', isSilent: false, keyId: 1, data: '' },
  isWithdrawn: () => false,
};
const account = { userUuid: 'u', realmUuid: 'r', androidTokens: [], appleTokens: [] };
const relayed: OutgoingPush = { ...push, relayedFor: { ...account, platform: 'fcm' } };

describe(RelayTransport.name, () => {
  const requests: unknown[] = [];
  const client: Pick<PushServiceClient, 'postJson'> = {
    postJson: async (_path, body) => {
      requests.push(body);
      return { kind: 'ok', body: {} };
    },
  };

  it('sends the encrypted pushes of an organisation that are ready together, and no other ones', async () => {
    const sut = new RelayTransport(client as PushServiceClient);
    const answers = await Promise.all([
      sut.send(relayed),
      sut.send({ ...relayed, isWithdrawn: () => true }),
      sut.send(push),
    ]);
    expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'withdrawn', 'unsendable']);
    expect(requests).toMatchObject([{ realm_uuid: 'r', push_requests: [{}] }]);
  });

  it('gives one answer to all pushes of a search whose requests were cut off', async () => {
    let sent = 0;
    const postJson: PushServiceClient['postJson'] = async () => {
      sent += 1;
      return sent === 1
        ? { kind: 'refused', status: 400, code: 'BAD_REQUEST', msg: '', retryAfterMs: null }
        : { kind: 'unreachable', fault: 'ConnectionError', wasSent: true };
    };
    const sut = new RelayTransport({ postJson } as Partial<PushServiceClient> as PushServiceClient);
    const answers = await Promise.all([1, 2, 3, 4].map(() => sut.send({ ...relayed })));
    expect(sent).toBe(3);
    expect(answers[0]).toMatchObject({ kind: 'unanswered' });
    expect(new Set(answers).size).toBe(1);
  });

  it('calls none refused that were refused only together with one that is', async () => {
    const total = 500;
    const isFaulty = (index: number) => index % 8 === 0;
    const indexOf = ({ token_id: id }: { token_id: string }) => Number(id);
    const postJson: PushServiceClient['postJson'] = async (_path, body) => {
      const { push_requests: asked } = body as { push_requests: { token_id: string }[] };
      return asked.some((one) => isFaulty(indexOf(one)))
        ? { kind: 'refused', status: 400, code: 'BAD_REQUEST', msg: '', retryAfterMs: null }
        : { kind: 'ok', body: {} };
    };
    const sut = new RelayTransport({ postJson } as Partial<PushServiceClient> as PushServiceClient);
    const answers = await Promise.all(
      Array.from({ length: total }, (_, index) => sut.send({ ...relayed, token: `${index}` })),
    );
    const ends = answers.map((answer, index) => {
      if (answer.kind === 'withdrawn') throw new Error('Nothing was withdrawn');
      return { index, kind: outcomeOf('push service', answer).kind };
    });
    expect(ends.filter(({ index, kind }) => !isFaulty(index) && kind === 'message_fault')).toEqual(
      [],
    );
  });

  describe('with a service that may be slow', () => {
    const isOfSlow = (body: unknown) => (body as { realm_uuid: string }).realm_uuid === 'slow';
    const slow: OutgoingPush = {
      ...push,
      relayedFor: { ...account, realmUuid: 'slow', platform: 'fcm' },
    };
    let sent: number;
    let sut: RelayTransport;

    beforeEach(() => {
      jest.useFakeTimers();
      sent = 0;
      const postJson: PushServiceClient['postJson'] = (_path, body) => {
        sent += 1;
        return isOfSlow(body)
          ? new Promise(() => undefined)
          : Promise.resolve({ kind: 'ok', body: {} });
      };
      sut = new RelayTransport({ postJson } as PushServiceClient);
    });
    afterEach(() => void jest.useRealTimers());

    it('begins a request before the answers to earlier ones', async () => {
      for (let expected = 1; expected <= 4; expected += 1) {
        void sut.send(slow);
        await jest.advanceTimersByTimeAsync(250);
        expect(sent).toBe(expected);
      }
    });

    it('gets the answer about an organisation before that about another', async () => {
      void sut.send(slow);
      const answer = sut.send(relayed);
      await jest.advanceTimersByTimeAsync(250);
      expect(await answer).toMatchObject({ kind: 'accepted' });
    });
  });
});
