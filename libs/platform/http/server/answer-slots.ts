import type { EventEmitter } from 'node:events';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { ApiError, requestErrors } from '#platform/contracts';
import { OwnerSlots } from '#platform/core';
import { onceAnyClosed } from './connections.js';
import { ownerOf } from './request-owner.js';
import { isPlainAnswer } from './response-body.rules.js';
import { jsonInSlices } from './sliced-json.js';

const refusal = () => new ApiError(requestErrors.temporarilyUnavailable);
const WAITING = 50;

/**
 * The large answers of the process that are read and made at once: each takes some ten megabytes meanwhile, in several copies.
 * More would not be ready sooner, because one thread makes them.
 */
const making = new OwnerSlots({ all: 4, ofOwner: 1, waiting: WAITING, refusal });

/** Those of an account at once, until the client has them: else an account could let one after the other be made. */
const unsent = new OwnerSlots({ all: Infinity, ofOwner: 2, waiting: WAITING, refusal });

/** A client that reads slowly keeps the other clients of its account waiting for this time at most. */
const MAX_SEND_MS = 10_000;

/** Bounds the memory for large answers: a request waits for its slot before its endpoint reads anything. */
@Injectable()
export class AnswerSlotInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const owner = ownerOf(http.getRequest<FastifyRequest>());
    const { raw: response } = http.getResponse<FastifyReply>();
    const make = () =>
      making.run(owner, async () => {
        // The client has left while it waited.
        if (response.destroyed) return undefined;
        const answer: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
        return isPlainAnswer(answer) ? jsonInSlices(answer) : answer;
      });
    return defer(
      () =>
        new Promise((resolve, reject) => {
          const untilSent = async () => {
            resolve(await make());
            if (!response.destroyed) await closed([response, response.req.socket]);
          };
          unsent.run(owner, untilSent).catch(reject);
        }),
    );
  }
}

/** Resolves when the first of some responses and connections closes, or after a time. */
function closed(emitters: readonly EventEmitter[]): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_SEND_MS).unref();
    onceAnyClosed(emitters, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
