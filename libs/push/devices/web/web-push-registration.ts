import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, signInErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import type { ParametersOf } from '#platform/http';
import { RateLimits } from '#platform/rate-limits';
import { ConfirmationTokens } from './confirmation-tokens.js';
import { WEB_PUSH_CONFIRMATIONS, type WebPushConfirmations } from './web-push-confirmations.js';
import { WebPushRequests } from './web-push-requests.js';
import { webPushErrors } from './web-push.errors.js';
import {
  type NewSubscription,
  type StoredSubscription,
  WebPushRepository,
} from './web-push.repository.js';
import type { registerWebPush } from './web-push.schema.js';

/** Of one account. */
const MAX_SUBSCRIPTIONS = 10;

/** Registers the subscriptions of Web Push of accounts. A subscription gets nothing but its token until it is confirmed. */
@Injectable()
export class WebPushRegistration {
  constructor(
    private readonly subscriptions: WebPushRepository,
    private readonly requests: WebPushRequests,
    private readonly tokens: ConfirmationTokens,
    @Inject(WEB_PUSH_CONFIRMATIONS) private readonly confirmations: WebPushConfirmations,
    private readonly limits: RateLimits,
    private readonly database: Database,
  ) {}

  /**
   * Stores a subscription and sends it its token. A repetition with equal values only refreshes it, and sends the token again
   * while it is pending. Rejects with ApiError, see docs/errors.md.
   */
  async register(
    caller: Caller,
    fields: ParametersOf<typeof registerWebPush>,
  ): Promise<StoredSubscription> {
    if (caller.isBot) throw new ApiError(webPushErrors.peopleOnly);
    const subscription = await this.requests.subscriptionIn(fields);
    await this.limits.charge('web-push', String(caller.userId));
    return this.database.transaction((transaction) =>
      this.#register(transaction, caller, subscription),
    );
  }

  async #register(
    transaction: Transaction,
    caller: Caller,
    subscription: NewSubscription,
  ): Promise<StoredSubscription> {
    const { userId } = caller;
    if (!(await this.subscriptions.lockAccount(transaction, caller))) {
      throw new ApiError(signInErrors.invalidApiKey);
    }
    await this.subscriptions.removeLate(transaction, caller, subscription.endpoint);
    const stored =
      (await this.subscriptions.refresh(transaction, caller, subscription)) ??
      (await this.#store(transaction, caller, subscription));
    if (stored.state === 'pending') {
      const realmId = caller.realm.id;
      await this.confirmations.send(transaction, { id: stored.id, userId, realmId });
    }
    return stored;
  }

  async #store(
    transaction: Transaction,
    caller: Caller,
    subscription: NewSubscription,
  ): Promise<StoredSubscription> {
    const { endpoint } = subscription;
    const hasRoom = await this.subscriptions.makeRoom(
      transaction,
      caller.userId,
      endpoint,
      MAX_SUBSCRIPTIONS,
    );
    if (!hasRoom) throw new ApiError(webPushErrors.tooManyWebPushSubscriptions);
    const token = this.tokens.make();
    const id = await this.subscriptions.store(transaction, caller, subscription, token);
    return { id, state: 'pending' };
  }

  /** Makes a subscription active. A repetition is no error. Rejects with `invalidConfirmationToken`. */
  async confirm(caller: Caller, id: number, token: string): Promise<void> {
    const sealed = await this.subscriptions.confirmationOf(caller, id);
    const isRight =
      sealed !== null &&
      this.tokens.isSame(sealed, token) &&
      (await this.subscriptions.activate(caller, id, sealed));
    if (!isRight) throw new ApiError(webPushErrors.invalidConfirmationToken);
  }
}
