import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApiError } from '#platform/contracts';
import { type PushJobs, serviceJobPriority } from '#push/jobs';
import type { Transaction } from '#platform/database';
import { errorText } from '#platform/core';
import { JobQueues } from '#platform/queue';
import { relayErrors } from '../relay.errors.js';
import { serviceRetryDelayMs } from '../retry-delay.js';
import {
  type FormFields,
  PushServiceClient,
  RELAY_SETTINGS,
  type RelaySettings,
} from '../push-service-client.js';
import {
  type FailedAnswer,
  faultText,
  isTemporary,
  legacyErrorOf,
  type ServiceAnswer,
} from '../service-answer.rules.js';
import type { DeviceChanges } from './device-changes.js';
import {
  type ChangedToken,
  type ChangingAccount,
  type TokenChange,
  TokenChangeRepository,
} from './token-change.repository.js';

/** A request that has stored a change sends it itself; a job sends it if that request has not ended by then. */
const GRACE_PERIOD_MS = 20_000;
/** Longer than one request to the service. */
const LEASE_MS = 20_000;
const PAGE = 500;
/** Notifications in plain text wait for removals, which are sent after earlier changes. */
const MAX_REMOVAL_DELAY_MS = 60_000;
/** While the service is unreachable, an account may change tokens any number of times. */
const MAX_CHANGES = 200;
/** After this time a run begins no other request to the service, which may be slow: the next run sends the rest. */
const MAX_RUN_MS = 15_000;
/** How long a registration waits while another process sends the changes of the account. */
const MAX_WAIT_MS = 15_000;
const RECHECK_MS = 200;

/** How sending the changes of an account has ended: `busy` when another process sends them. */
type ChangesResult = 'done' | 'busy' | FailedAnswer;

/**
 * On a server that relays: has the push service learn which devices of an account get plain text. A change is stored with the
 * change of the device, and repeated until the service has confirmed it; the changes of an account are sent in their order.
 */
@Injectable()
export class TokenChanges implements DeviceChanges {
  readonly keepsSpelling = true;
  readonly #logger = new Logger(TokenChanges.name);

  constructor(
    private readonly changes: TokenChangeRepository,
    private readonly client: PushServiceClient,
    @Inject(RELAY_SETTINGS) private readonly relay: RelaySettings,
    private readonly queues: JobQueues<PushJobs>,
  ) {}

  /** Stores the registration of a token; the function sends it. See DeviceChanges. */
  async registered(transaction: Transaction, token: ChangedToken): Promise<() => Promise<void>> {
    await this.changes.put(transaction, 'register', [token], GRACE_PERIOD_MS);
    await this.#resetIfTooMany(transaction, token.userId);
    const changeId = await this.changes.find(transaction, token);
    return async () => {
      if (changeId !== null) await this.#confirm(token.userId, changeId);
    };
  }

  /** Rejects with the failure of the service. */
  async #confirm(userId: number, changeId: number): Promise<void> {
    const start = performance.now();
    for (;;) {
      const result = await this.send(userId, changeId);
      if (result === 'done') return;
      if (result !== 'busy') throw legacyErrorOf(result);
      if (performance.now() - start > MAX_WAIT_MS) {
        throw new ApiError(relayErrors.serviceNotReached, { name: 'ReadTimeout' });
      }
      await delay(RECHECK_MS);
    }
  }

  /** Stores the removal of tokens; a job sends it after the commit. */
  async removed(transaction: Transaction, tokens: readonly ChangedToken[]): Promise<void> {
    if (tokens.length === 0) return;
    await this.changes.put(transaction, 'unregister', tokens);
    const userIds = [...new Set(tokens.map((token) => token.userId))];
    for (const userId of userIds) await this.#resetIfTooMany(transaction, userId);
    transaction.afterCommit(() => void this.enqueue(userIds));
  }

  /** Stores that the devices of older API keys were removed; a job sends it after the commit. */
  async loggedOut(transaction: Transaction, userId: number): Promise<void> {
    await this.changes.reset(transaction, userId);
    transaction.afterCommit(() => void this.enqueue([userId]));
  }

  async #resetIfTooMany(transaction: Transaction, userId: number): Promise<void> {
    if ((await this.changes.count(transaction, userId)) > MAX_CHANGES) {
      await this.changes.reset(transaction, userId);
    }
  }

  /** Adds the jobs of accounts with changes that are due. Rejects when PostgreSQL is down. */
  async sweep(): Promise<void> {
    await this.enqueue(await this.changes.takeDue(PAGE, LEASE_MS));
  }

  /** Adds jobs that send the changes of accounts, also those that are not due. Never rejects: the sweep adds missing ones. */
  async enqueue(userIds: readonly number[]): Promise<void> {
    const jobs = userIds.map((userId) => ({
      name: 'account.relay' as const,
      jobId: `relay-${userId}`,
      payload: { v: 1 as const, userId },
      priority: serviceJobPriority,
    }));
    await this.queues.enqueueMany('push-control', jobs).catch((error: unknown) => {
      this.#logger.debug(`Changes of phones wait for the sweeper: ${errorText(error)}`);
    });
  }

  /**
   * Sends the changes of an account up to `lastId`, the change of a request, in their order, until one fails for now.
   * Resolves with that failure, or with the refusal of the change `lastId`. A change that another request is about to send is
   * left to it, because that request reports the answer. Rejects when PostgreSQL is down.
   */
  async send(userId: number, lastId = Number.POSITIVE_INFINITY): Promise<ChangesResult> {
    const startedAt = performance.now();
    while (performance.now() - startedAt < MAX_RUN_MS) {
      const account = await this.changes.lease(userId, LEASE_MS);
      if (account === null) {
        return (await this.#next(userId, lastId)) === null ? 'done' : 'busy';
      }
      try {
        const change = await this.#next(userId, lastId);
        if (change === null) return 'done';
        const isLast = change.id === lastId;
        if (change.isAwaited && !isLast) return 'busy';
        const answer = await this.#send(userId, account, change, lastId);
        if (answer !== null && (isLast || isRepeated(change, answer))) return answer;
        if (isLast) return 'done';
      } finally {
        await this.changes.release(userId, account).catch((error: unknown) => {
          this.#logger.debug(`A lease has to end by itself: ${errorText(error)}`);
        });
      }
    }
    return 'busy';
  }

  /** Null if all changes up to `lastId` are gone. */
  async #next(userId: number, lastId: number): Promise<TokenChange | null> {
    const change = await this.changes.first(userId, GRACE_PERIOD_MS);
    return change === null || change.id > lastId ? null : change;
  }

  /** Null if the service has confirmed the change. */
  async #send(
    userId: number,
    account: ChangingAccount,
    change: TokenChange,
    lastId: number,
  ): Promise<FailedAnswer | null> {
    const answer = await this.#post(userId, account, change);
    if (answer.kind === 'ok' || isUnknownToken(change, answer)) {
      await this.changes.remove(change.id);
      return null;
    }
    if (isRepeated(change, answer)) {
      const ids = Number.isFinite(lastId) ? [change.id, lastId] : [change.id];
      const failures = change.attempts + 1;
      await this.changes.postpone(userId, ids, {
        delayMs: serviceRetryDelayMs(failures, answer),
        removalDelayMs: serviceRetryDelayMs(failures, answer, MAX_REMOVAL_DELAY_MS),
        graceMs: GRACE_PERIOD_MS,
      });
      this.#logger.warn(`Phones of account ${userId} have to wait: ${faultText(answer)}`);
    } else {
      this.#logger.warn(`A phone of account ${userId} was refused: ${faultText(answer)}`);
      await this.changes.remove(change.id);
    }
    return answer;
  }

  #post(
    userId: number,
    { userUuid, realmUuid }: ChangingAccount,
    { kind, platform, token, appId }: TokenChange,
  ): Promise<ServiceAnswer> {
    const account: FormFields = {
      server_uuid: this.relay.orgId,
      user_uuid: userUuid,
      realm_uuid: realmUuid,
      user_id: userId,
    };
    const phone = { token, token_kind: platform === 'apns' ? 1 : 2 };
    switch (kind) {
      case 'register':
        return this.client.postForm('/push/register', { ...account, ...phone, ios_app_id: appId });
      case 'unregister':
        return this.client.postForm('/push/unregister', { ...account, ...phone });
      case 'unregister_all':
        return this.client.postForm('/push/unregister/all', account);
    }
  }
}

/**
 * Whether a change that has failed is sent again. The service sends to a phone until its removal succeeds, so a removal is
 * repeated after every refusal but 400: then its parameters are invalid, and the service has no such phone.
 */
const isRepeated = ({ kind }: TokenChange, answer: FailedAnswer): boolean =>
  isTemporary(answer) ||
  (kind !== 'register' && answer.kind === 'refused' && answer.status !== 400);

/** The service has forgotten the token before. */
const isUnknownToken = ({ kind }: TokenChange, answer: ServiceAnswer): boolean =>
  kind === 'unregister' && answer.kind === 'refused' && answer.msg === 'Token does not exist';
