import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import type { JobHandler, JobPayload } from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import type { JobOutcome } from '#platform/queue';
import { PUSH_SERVICE, type PushService, type RegistrationAnswer } from '#push/tokens';
import { serviceRetryDelayMs } from '#push/relay';
import { RegistrationAnswers } from './registration-answers.js';
import { type PendingTokenRequest, TokenRequestRepository } from './token-request.repository.js';

const DAY_MS = 86_400_000;

/**
 * Has a token registered by the push service, and stores the answer. While the service has no answer, the request is retried
 * with growing pauses; after a day it has failed. So no device stays pending.
 */
@Injectable()
export class DeviceRegistrationJob implements JobHandler<'device.register'> {
  readonly jobName = 'device.register';
  readonly #logger = new Logger(DeviceRegistrationJob.name);

  constructor(
    private readonly requests: TokenRequestRepository,
    @Inject(PUSH_SERVICE) private readonly service: PushService,
    private readonly answers: RegistrationAnswers,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Rejects only when a store is down. */
  async handle({ deviceId }: JobPayload<'device.register'>): Promise<JobOutcome> {
    const request = await this.requests.find(deviceId);
    if (request === null) return {};
    const answer = await this.#ask(request);
    if (answer.kind === 'retry') await this.#postpone(request, answer);
    else await this.answers.store(request, answer);
    return {};
  }

  async #ask(request: PendingTokenRequest): Promise<RegistrationAnswer> {
    if (this.clock() < endOf(request)) return this.service.register(request);
    this.#logger.error(`The registration of device ${request.deviceId} had no answer for a day`);
    return { kind: 'refused', code: 'REQUEST_EXPIRED' };
  }

  async #postpone(
    request: PendingTokenRequest,
    answer: Extract<RegistrationAnswer, { kind: 'retry' }>,
  ): Promise<void> {
    this.#logger.error(
      `The registration of device ${request.deviceId} has to wait: ${answer.reason}`,
    );
    const pauseMs = serviceRetryDelayMs(request.attempts + 1, answer);
    await this.requests.postpone(request, Math.min(pauseMs, endOf(request) - this.clock()));
  }
}

const endOf = ({ requestedAt }: PendingTokenRequest): number => requestedAt.getTime() + DAY_MS;
