import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import type { PhonePlatform } from '#push/jobs';
import { IdempotentExecutor } from '#platform/idempotency';
import { pushErrors } from '#push/devices';
import type { StoredToken } from '#push/tokens';
import { type Recipient, recipientOf, type RelayedAccount } from '#push/providers';
import { legacyErrorOf, PushServiceClient, RelayIdentityRepository, testBody } from '#push/relay';
import type { PlainTests, TestNotificationOptions } from './test-notifications.service.js';

/** On a server that relays: sends test notifications while the caller waits. */
@Injectable()
export class RelayedTestService implements PlainTests {
  constructor(
    private readonly client: PushServiceClient,
    private readonly identities: RelayIdentityRepository,
    private readonly executor: IdempotentExecutor,
  ) {}

  /** The key is stored afterwards: no transaction waits for the push service. So concurrent repetitions are sent too. */
  async send(
    caller: Caller,
    { token, requestKey = null }: TestNotificationOptions = {},
  ): Promise<number> {
    const request = requestKey && { ...requestKey, userId: caller.userId };
    if ((await this.executor.findResult(request)) !== null) return 0;
    const count = await this.#sendAll(caller, token);
    await this.executor.run(request, () => Promise.resolve({}));
    return count;
  }

  /** Resolves when the push service has taken all. Rejects with ApiError for the first failure. */
  async #sendAll(caller: Caller, token: string | undefined): Promise<number> {
    const account = await this.identities.account(caller);
    const devices = [
      ...tokensOf('apns', account?.appleTokens ?? []),
      ...tokensOf('fcm', account?.androidTokens ?? []),
    ].filter((device) => token === undefined || isSame(device, token));
    if (token !== undefined && devices.length === 0) {
      throw new ApiError(pushErrors.deviceNotRecognized);
    }
    if (account === null) return 0;
    const { name, requiresEncryption } = await this.identities.realm(caller.realm.id);
    // The devices of an organisation that requires encryption get nothing.
    if (requiresEncryption) return devices.length;
    const recipient = recipientOf(this.client.externalUrl, {
      userId: caller.userId,
      realm: { ...caller.realm, name },
    });
    // One request after another would make the caller wait for each device of a slow service.
    await Promise.all(devices.map((device) => this.#sendTo(device, recipient, account)));
    return devices.length;
  }

  async #sendTo(
    { platform, token }: StoredToken,
    recipient: Recipient,
    account: RelayedAccount,
  ): Promise<void> {
    const body = testBody({ token, recipient }, { ...account, platform });
    const answer = await this.client.postJson('/push/test_notification', body);
    if (answer.kind === 'ok') return;
    if (answer.kind === 'refused' && answer.code === UNKNOWN_TOKEN) {
      throw new ApiError(pushErrors.deviceNotRecognizedByProvider);
    }
    throw legacyErrorOf(answer);
  }
}

const UNKNOWN_TOKEN = 'INVALID_REMOTE_PUSH_DEVICE_TOKEN';

const tokensOf = (platform: PhonePlatform, tokens: readonly string[]): StoredToken[] =>
  tokens.map((token) => ({ platform, token }));

/** Tokens of Apple are equal in either case; the service gets the spelling that was registered there. */
const isSame = ({ platform, token }: StoredToken, given: string): boolean =>
  platform === 'apns' ? token.toLowerCase() === given.toLowerCase() : token === given;
