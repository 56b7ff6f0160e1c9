import { batched, groupBy, WorkInFlight } from '#platform/core';
import {
  type EncryptedContent,
  type OutgoingPush,
  type ProviderAnswer,
  type PushTransport,
  refusal,
} from '#push/providers';
import { PushServiceClient } from './push-service-client.js';
import { encryptedRequest, notifyBody, testBody, textsIn } from './relay-payload.rules.js';
import { providerAnswerOf } from './service-answer.rules.js';

/** The limit of a request to the service. */
const MAX_PUSHES_PER_REQUEST = 500;
/** The devices of an account are claimed together, but their contents are not ready in the same moment. */
const LINGER_MS = 15;

type EncryptedPush = OutgoingPush & { readonly content: EncryptedContent };

/**
 * Sends through the push service: encrypted pushes of an organisation that are ready at the same time in one request; plain
 * ones in one request for all phones of an account.
 */
export class RelayTransport implements PushTransport {
  readonly #sendEncrypted = batched((pushes: readonly EncryptedPush[]) => this.#sendAll(pushes), {
    maxPerCall: MAX_PUSHES_PER_REQUEST,
    lingerMs: LINGER_MS,
  });
  readonly #inFlight = new WorkInFlight();

  constructor(private readonly client: PushServiceClient) {}

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    const sending = isEncrypted(push) ? this.#sendEncrypted(push) : this.#notify(push);
    return this.#inFlight.track(sending);
  }

  credentialOf(): string {
    return 'push service';
  }

  async close(): Promise<void> {
    await this.#inFlight.settled();
  }

  async #notify(push: OutgoingPush): Promise<ProviderAnswer> {
    const { content, relayedFor: account } = push;
    if (account === undefined || content.kind === 'encrypted' || content.kind === 'prepared') {
      return unsendable;
    }
    if (push.isWithdrawn()) return { kind: 'withdrawn' };
    const isTest = content.kind === 'test';
    const answer = isTest
      ? await this.client.postJson('/push/test_notification', testBody(push, account))
      : await this.client.postJson('/push/notify', notifyBody({ ...push, content, account }));
    if (answer.kind !== 'ok') return providerAnswerOf(answer);
    const { deleted_devices: deleted, realm } = answer.body;
    return { kind: 'accepted', relayed: { realm, ...deletedIn(deleted) } };
  }

  async #sendAll(pushes: readonly EncryptedPush[]): Promise<ProviderAnswer[]> {
    const answers = new Map<EncryptedPush, ProviderAnswer>();
    const byRealm = groupBy(pushes, ({ relayedFor }) => relayedFor?.realmUuid);
    await Promise.all(
      [...byRealm].map(async ([realmUuid, ofRealm]) => {
        if (realmUuid === undefined) return;
        for (const push of ofRealm) answers.set(push, { kind: 'withdrawn' });
        const wanted = ofRealm.filter((push) => !push.isWithdrawn());
        if (wanted.length === 0) return;
        const answerOf = await this.#sendToRealm(realmUuid, wanted);
        for (const push of wanted) answers.set(push, answerOf(push));
      }),
    );
    return pushes.map((push) => answers.get(push) ?? unsendable);
  }

  async #sendToRealm(
    realmUuid: string,
    pushes: readonly EncryptedPush[],
  ): Promise<(push: EncryptedPush) => ProviderAnswer> {
    const answer = await this.client.postJson('/push/e2ee/notify', {
      realm_uuid: realmUuid,
      push_requests: pushes.flatMap(({ token, content, relayedFor }) =>
        relayedFor === undefined
          ? []
          : encryptedRequest({ platform: relayedFor.platform, tokenId: token }, content),
      ),
    });
    if (answer.kind !== 'ok') return () => providerAnswerOf(answer);
    const dead = new Set(textsIn(answer.body['delete_token_ids']));
    const relayed = { realm: answer.body['realm_push_status'], deletedTokens: [] };
    return ({ token }) =>
      dead.has(token)
        ? refusal({ status: 410, reason: 'DELETED_BY_SERVICE' })
        : { kind: 'accepted', relayed };
  }
}

const unsendable: ProviderAnswer = { kind: 'unsendable', reason: 'unknown account' };

const isEncrypted = (push: OutgoingPush): push is EncryptedPush =>
  push.content.kind === 'encrypted';

function deletedIn(deleted: unknown): { readonly deletedTokens: readonly string[] } {
  const { android_devices: android, apple_devices: apple }: Record<string, unknown> =
    typeof deleted === 'object' && deleted !== null ? { ...deleted } : {};
  return { deletedTokens: [...textsIn(android), ...textsIn(apple)] };
}
