import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiError } from '#contracts';
import { CompleteRegistration } from '#video-calls';
import type { FastifyReply } from 'fastify';
import { completionHeaders, completionPage } from './completion-page.js';

/**
 * Where a provider sends somebody's browser back to. It is not signed in, which the signed state makes
 * up for, and is shown a page whatever happens.
 */
@Controller('calls')
export class CompletionController {
  constructor(private readonly completeRegistration: CompleteRegistration) {}

  @Get(':provider/complete')
  async complete(
    @Param('provider') provider: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const given = { state: textOf(query['state']), code: textOf(query['code']) };
    const error = await this.#errorOf(this.completeRegistration.execute(provider, given));
    reply.status(error?.error.status ?? 200).headers(completionHeaders);
    return completionPage(error?.message ?? null);
  }

  /** What is no error of the catalogue is a defect or an outage, which the edge answers. */
  async #errorOf(completion: Promise<void>): Promise<ApiError | null> {
    try {
      await completion;
      return null;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }
}

/** A name that is given twice comes as a list, and counts for nothing. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
