import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, type Platform } from '#platform/contracts';
import { IdempotentExecutor } from '#platform/idempotency';
import { RelayedEncryptedTestService } from './relayed-encrypted-test.service.js';
import { pushErrors } from '#push/devices';
import { type Recipient, recipientOf, type RelayedAccount } from '#push/providers';
import {
  legacyErrorOf,
  PushServiceClient,
  RELAY_SETTINGS,
  RelayIdentityRepository,
  type RelaySettings,
  testBody,
} from '#push/relay';
import type { TestNotificationOptions, TestNotifications } from './test-notifications.js';

interface Phone {
  readonly platform: Platform;
  readonly token: string;
}

/** On a server that relays: sends test notifications while the caller waits. */
@Injectable()
export class RelayedTestService implements TestNotifications {
  constructor(
    private readonly client: PushServiceClient,
    private readonly identities: RelayIdentityRepository,
    private readonly executor: IdempotentExecutor,
    private readonly encrypted: RelayedEncryptedTestService,
    @Inject(RELAY_SETTINGS) private readonly relay: RelaySettings | null,
  ) {}

  /** The key is stored afterwards: no transaction waits for the push service. So concurrent repetitions are sent too. */
  async send(
    caller: Caller,
    { token, requestKey = null }: TestNotificationOptions = {},
  ): Promise<number> {
    const request = requestKey && { ...requestKey, userId: caller.userId };
    if ((await this.executor.findResult(request)) !== null) return 0;
    const devices = await this.#sendAll(caller, token);
    await this.executor.run(request, () => Promise.resolve({}));
    return devices;
  }

  sendEncrypted(caller: Caller, deviceId: number | null): Promise<number> {
    return this.encrypted.send(caller, deviceId);
  }

  /** Resolves when the push service has taken all. Rejects with ApiError for the first failure. */
  async #sendAll(caller: Caller, token: string | undefined): Promise<number> {
    const account = await this.identities.account(caller);
    const phones = [
      ...phonesOf('apns', account?.appleTokens ?? []),
      ...phonesOf('fcm', account?.androidTokens ?? []),
    ].filter((phone) => token === undefined || isSame(phone, token));
    if (token !== undefined && phones.length === 0) {
      throw new ApiError(pushErrors.deviceNotRecognized);
    }
    if (account === null) return 0;
    const { name, requiresEncryption } = await this.identities.realm(caller.realm.id);
    // The phones of an organisation that requires encryption get nothing.
    if (requiresEncryption) return phones.length;
    const recipient = recipientOf(new URL(this.relay?.externalUrl ?? ''), {
      userId: caller.userId,
      realm: { ...caller.realm, name },
    });
    // One request after another would make the caller wait for each phone of a slow service.
    await Promise.all(phones.map((phone) => this.#sendTo(phone, recipient, account)));
    return phones.length;
  }

  async #sendTo(
    { platform, token }: Phone,
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

const phonesOf = (platform: Platform, tokens: readonly string[]): Phone[] =>
  tokens.map((token) => ({ platform, token }));

/** Tokens of Apple are equal in either case; the service gets the spelling that was registered there. */
const isSame = ({ platform, token }: Phone, given: string): boolean =>
  platform === 'apns' ? token.toLowerCase() === given.toLowerCase() : token === given;
