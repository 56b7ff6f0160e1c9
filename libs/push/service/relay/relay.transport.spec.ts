import { describe, expect, it } from '@jest/globals';
import { NO_RECIPIENT, type OutgoingPush } from '#push/providers';
import type { PushServiceClient } from './push-service-client.js';
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
    const relayed = { ...push, relayedFor: { ...account, platform: 'fcm' as const } };
    const answers = await Promise.all([
      sut.send(relayed),
      sut.send({ ...relayed, isWithdrawn: () => true }),
      sut.send(push),
    ]);
    expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'withdrawn', 'unsendable']);
    expect(requests).toMatchObject([{ realm_uuid: 'r', push_requests: [{}] }]);
  });
});
