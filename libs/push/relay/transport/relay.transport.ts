import { batched, groupBy, WorkInFlight } from '#platform/core';
import {
  type EncryptedContent,
  type OutgoingPush,
  type ProviderAnswer,
  type PushContent,
  type PushTransport,
  REFUSED_TOGETHER,
  refusal,
} from '#push/providers';
import { PushServiceClient, SERVICE_DEADLINE_MS } from '../push-service-client.js';
import { encryptedRequest, notifyBody, testBody, textsIn } from './relay-payload.rules.js';
import { sendByHalves } from './send-by-halves.js';
import { providerAnswerOf, type ServiceAnswer } from '../service-answer.rules.js';

/** The limit of a request to the service. */
const MAX_PUSHES_PER_REQUEST = 500;
/** The devices of an account are claimed together, but their contents are not ready in the same moment. */
const LINGER_MS = 15;
/**
 * A service takes 1,000 requests a minute of a server. Under a steady load a worker makes 300 for each organisation.
 */
const MIN_INTERVAL_MS = 200;

type EncryptedPush = OutgoingPush & {
  readonly content: EncryptedContent;
  readonly relayedFor: NonNullable<OutgoingPush['relayedFor']>;
};

/**
 * Sends through the push service: encrypted pushes of an organisation that are ready at the same time in one request; plain
 * ones in one request for all phones of an account.
 */
export class RelayTransport implements PushTransport {
  readonly #sendEncrypted = batched((pushes: readonly EncryptedPush[]) => this.#sendAll(pushes), {
    maxPerCall: MAX_PUSHES_PER_REQUEST,
    lingerMs: LINGER_MS,
    minIntervalMs: MIN_INTERVAL_MS,
  });
  readonly #inFlight = new WorkInFlight();

  constructor(private readonly client: PushServiceClient) {}

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    return this.#inFlight.track(this.#send(push));
  }

  credentialOf(): string {
    return 'push service';
  }

  async close(): Promise<void> {
    await this.#inFlight.settled();
  }

  async #send(push: OutgoingPush): Promise<ProviderAnswer> {
    return isEncrypted(push) ? await this.#sendEncrypted(push) : this.#notify(push);
  }

  async #notify(push: OutgoingPush): Promise<ProviderAnswer> {
    const { content, relayedFor: account } = push;
    if (account === undefined || !isPlain(content)) return unsendable;
    if (push.isWithdrawn()) return { kind: 'withdrawn' };
    const isTest = content.kind === 'test';
    const answer = isTest
      ? await this.client.postJson('/push/test_notification', testBody(push, account))
      : await this.client.postJson('/push/notify', notifyBody({ ...push, content, account }));
    if (answer.kind !== 'ok') return providerAnswerOf(answer);
    const { deleted_devices: deleted, realm } = answer.body;
    return {
      kind: 'accepted',
      relayed: { realmUuid: account.realmUuid, realm, ...deletedIn(deleted) },
    };
  }

  /**
   * Begins a request for each organisation. Each push waits for its own answer only: a service answers after its providers,
   * and these may be slow.
   */
  async #sendAll(pushes: readonly EncryptedPush[]): Promise<Promise<ProviderAnswer>[]> {
    const answers = new Map(
      [...groupBy(pushes, realmOf)].map(
        ([realmUuid, ofRealm]) => [realmUuid, this.#sendToRealm(realmUuid, ofRealm)] as const,
      ),
    );
    return pushes.map(async (push): Promise<ProviderAnswer> => {
      const answersOfRealm = await answers.get(realmOf(push));
      return answersOfRealm?.get(push) ?? { kind: 'withdrawn' };
    });
  }

  /** The answers to the pushes that were sent: those that were withdrawn have none. All requests share one deadline. */
  async #sendToRealm(
    realmUuid: string,
    pushes: readonly EncryptedPush[],
  ): Promise<ReadonlyMap<EncryptedPush, ProviderAnswer>> {
    const deadline = performance.now() + SERVICE_DEADLINE_MS;
    const withdrawn = new Set<EncryptedPush>();
    const parts = await sendByHalves(pushes, (some) => {
      for (const push of some) if (push.isWithdrawn()) withdrawn.add(push);
      const wanted = some.filter((push) => !withdrawn.has(push));
      return this.#notifyEncrypted(realmUuid, wanted, Math.ceil(deadline - performance.now()));
    });
    const failures = new Map<string, ProviderAnswer>();
    return new Map(
      parts.flatMap(({ pushes: sent, answer, isOfSome }) => {
        const answerTo = isOfSome ? () => refusedTogether : answersIn(answer, realmUuid, failures);
        const wanted = sent.filter((push) => !withdrawn.has(push));
        return wanted.map((push) => [push, answerTo(push)] as const);
      }),
    );
  }

  async #notifyEncrypted(
    realmUuid: string,
    pushes: readonly EncryptedPush[],
    deadlineMs: number,
  ): Promise<ServiceAnswer> {
    if (pushes.length === 0) return { kind: 'ok', body: {} };
    if (deadlineMs <= 0) return { kind: 'unreachable', fault: 'ReadTimeout', wasSent: false };
    const body = {
      realm_uuid: realmUuid,
      push_requests: pushes.map(({ token, content, relayedFor: { platform } }) =>
        encryptedRequest({ platform, tokenId: token }, content),
      ),
    };
    return this.client.postJson('/push/e2ee/notify', body, deadlineMs);
  }
}

/**
 * Maps the answer to a request of encrypted pushes to the answer to each push. The circuit breaker counts each failed answer
 * once: the pushes of a request share it, and so do requests of one search that fail alike, by `failures`.
 */
function answersIn(
  answer: ServiceAnswer,
  realmUuid: string,
  failures: Map<string, ProviderAnswer>,
): (push: EncryptedPush) => ProviderAnswer {
  if (answer.kind !== 'ok') {
    const failure = providerAnswerOf(answer);
    const key = JSON.stringify(failure);
    const shared = failures.get(key) ?? failure;
    failures.set(key, shared);
    return () => shared;
  }
  const dead = new Set(textsIn(answer.body['delete_token_ids']));
  const relayed = { realmUuid, realm: answer.body['realm_push_status'], deletedTokens: [] };
  return ({ token }) =>
    dead.has(token)
      ? refusal({ status: 410, reason: 'DELETED_BY_SERVICE' })
      : { kind: 'accepted', relayed };
}

/** A content for all phones of the account. */
const isPlain = (content: OutgoingPush['content']): content is PushContent =>
  content.kind === 'test' || content.kind === 'message' || content.kind === 'remove';

/** Most of them may be valid: they are repeated, and come with fewer others then. */
const refusedTogether = refusal({ status: 400, reason: REFUSED_TOGETHER });

const unsendable: ProviderAnswer = { kind: 'unsendable', reason: 'unknown account' };

const realmOf = ({ relayedFor }: EncryptedPush): string => relayedFor.realmUuid;

const isEncrypted = (push: OutgoingPush): push is EncryptedPush =>
  push.content.kind === 'encrypted' && push.relayedFor !== undefined;

function deletedIn(deleted: unknown): { readonly deletedTokens: readonly string[] } {
  const { android_devices: android, apple_devices: apple }: Record<string, unknown> =
    typeof deleted === 'object' && deleted !== null ? { ...deleted } : {};
  return { deletedTokens: [...textsIn(android), ...textsIn(apple)] };
}
