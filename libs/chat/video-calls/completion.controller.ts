import { hash } from 'node:crypto';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiError } from '#platform/contracts';
import { RegistrationService } from './registration.service.js';

const CLOSE_WINDOW = 'window.close();';
const CLOSED = `<p>You can close this window.</p><script>${CLOSE_WINDOW}</script>`;

/** The page runs only its own script. Its address contains a code and is not sent as a referrer. */
const completionHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${hash('sha256', CLOSE_WINDOW, 'base64')}'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * The last page of a registration: closes itself after a success, else shows `error`, a text of the error catalogue
 * that never contains values of the request.
 */
const completionPage = (error: string | null): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Video calls</title>
  </head>
  <body>
    <main>
      <h1>Video calls</h1>
      ${error === null ? CLOSED : `<p>${error}</p><p>Close this window, and start the call again.</p>`}
    </main>
  </body>
</html>
`;

/**
 * The redirect address for providers. The browser is not signed in; the signed state identifies the account. The answer
 * is always an HTML page.
 */
@Controller('calls')
export class CompletionController {
  constructor(private readonly registrations: RegistrationService) {}

  @Get(':provider/complete')
  async complete(
    @Param('provider') provider: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const given = { state: textOf(query['state']), code: textOf(query['code']) };
    const error = await this.#errorOf(this.registrations.complete(provider, given));
    reply.status(error?.error.status ?? 200).headers(completionHeaders);
    return completionPage(error?.message ?? null);
  }

  /** Rethrows errors outside the catalogue (defects and outages); the exception filter answers them. */
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

/** A repeated parameter arrives as a list and is ignored. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
