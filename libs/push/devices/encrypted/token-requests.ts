import { Inject, Injectable, Logger } from '@nestjs/common';
import { type PushJobs, serviceJobPriority } from '#push/jobs';
import type { Transaction } from '#platform/database';
import { JobQueues } from '#platform/queue';
import { PUSH_SERVICE, type PushService } from '#push/tokens';
import type { RealmAccount } from '#platform/contracts';
import { NewestRegistrations } from './newest-registrations.js';
import { type TokenRequest, TokenRequestRepository } from './token-request.repository.js';

/** A job that has not run by then counts as lost. */
const GRACE_PERIOD_MS = 5000;
/** The time after which the lost job of a request is added again. */
const LEASE_MS = 60_000;
const PAGE = 500;
const MAX_PAGES = 20;

type RequestKey = Pick<TokenRequest, 'deviceId' | 'requestedAt'>;

/**
 * Stores requests to register tokens at the push service, and adds their jobs. A job is only a wake-up: `sweep` adds lost
 * ones again.
 */
@Injectable()
export class TokenRequests {
  readonly #logger = new Logger(TokenRequests.name);

  constructor(
    private readonly requests: TokenRequestRepository,
    private readonly queues: JobQueues<PushJobs>,
    private readonly newest: NewestRegistrations,
    @Inject(PUSH_SERVICE) private readonly service: PushService,
  ) {}

  /** Whether the push service can register tokens at all. Rejects when PostgreSQL is down. */
  isServiceReady(): Promise<boolean> {
    return this.service.isReady();
  }

  /** Stores a request of an account in place of earlier ones for the token, and adds its job after the commit. */
  async add(transaction: Transaction, account: RealmAccount, request: TokenRequest): Promise<void> {
    const { userId, realmId } = account;
    const { deviceId, tokenId } = request;
    const tokens = { userId, realmId, deviceId, tokenIds: [tokenId] };
    await this.newest.requested(transaction, tokens);
    await this.requests.put(transaction, request, GRACE_PERIOD_MS);
    transaction.afterCommit(() => void this.#enqueue([request]));
  }

  /** Adds the jobs of requests whose next attempt is due. Rejects when PostgreSQL is down. */
  async sweep(): Promise<void> {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const due = await this.requests.takeDue(PAGE, LEASE_MS);
      await this.#enqueue(due);
      if (due.length < PAGE) return;
    }
  }

  async #enqueue(requests: readonly RequestKey[]): Promise<void> {
    try {
      await this.queues.enqueueMany(
        'push-control',
        requests.map(({ deviceId, requestedAt }) => ({
          name: 'device.register',
          jobId: `device-${deviceId}-${requestedAt.getTime()}`,
          payload: { v: 1, deviceId },
          priority: serviceJobPriority,
        })),
      );
    } catch (error) {
      this.#logger.debug(`Requests to register tokens wait for the sweeper: ${String(error)}`);
    }
  }
}
