import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { ApiError, requestErrors } from '#platform/contracts';
import { OwnerSlots } from '#platform/core';
import { ownerOf } from './request-owner.js';
import { isPlainAnswer } from './response-body.rules.js';
import { jsonInSlices } from './sliced-json.js';

/**
 * The large answers of the process that are read and made at once: each takes some ten megabytes meanwhile, in several copies.
 * More would not be ready sooner, because one thread makes them.
 */
const slots = new OwnerSlots({
  all: 4,
  ofOwner: 1,
  waiting: 50,
  refusal: () => new ApiError(requestErrors.temporarilyUnavailable),
});

/** Bounds the memory for large answers: a request waits for its slot before its endpoint reads anything. */
@Injectable()
export class AnswerSlotInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return defer(() =>
      slots.run(ownerOf(request), async () => {
        const answer: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
        return isPlainAnswer(answer) ? jsonInSlices(answer) : answer;
      }),
    );
  }
}
