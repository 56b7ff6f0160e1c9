import {
  Body,
  Controller,
  Get,
  HttpCode,
  HttpException,
  Inject,
  Post,
  Req,
  Res,
  UseFilters,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError, requestErrors } from '#platform/contracts';
import { OpsErrorFilter, tooManyTries } from '../ops-error.filter.js';
import { PAGE_HEADERS, signInPage } from '../page/pages.js';
import {
  OperatorAuthenticator,
  OPS_OPTIONS,
  type OpsOptions,
  CSRF_COOKIE,
  SESSION_COOKIE,
} from './operator-authenticator.js';
import { SESSION_SECONDS } from './operator-session.rules.js';

const form = z.object({ token: z.string() });

/** Signs the operator in and out. */
@Controller('ops')
@UseFilters(OpsErrorFilter)
export class SignInController {
  readonly #attributes: string;

  constructor(
    private readonly authenticator: OperatorAuthenticator,
    @Inject(OPS_OPTIONS) { externalUrl }: OpsOptions,
  ) {
    const secure = externalUrl.startsWith('https:') ? '; Secure' : '';
    this.#attributes = `; Path=/ops; SameSite=Strict${secure}`;
  }

  @Get('sign-in')
  show(@Res({ passthrough: true }) reply: FastifyReply): string {
    this.authenticator.requireEnabled();
    reply.headers(PAGE_HEADERS);
    return signInPage(null);
  }

  @Post('sign-in')
  async signIn(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.authenticator.requireEnabled();
    const token = form.safeParse(body).data?.token.trim() ?? '';
    try {
      const { value, proof } = await this.authenticator.signIn(token, request.ip);
      this.#setCookies(reply, { value, proof, seconds: SESSION_SECONDS });
      reply.redirect('/ops', 303);
    } catch (error) {
      const { status, message } = refusalOf(error);
      reply.status(status).headers(PAGE_HEADERS).send(signInPage(message));
    }
  }

  @Post('sign-out')
  @HttpCode(200)
  signOut(@Res({ passthrough: true }) reply: FastifyReply) {
    this.#setCookies(reply, { value: '', proof: '', seconds: 0 });
    return {};
  }

  #setCookies(
    reply: FastifyReply,
    { value, proof, seconds }: { value: string; proof: string; seconds: number },
  ): void {
    const rest = `; Max-Age=${seconds}${this.#attributes}`;
    reply.header('Set-Cookie', [
      `${SESSION_COOKIE}=${value}; HttpOnly${rest}`,
      `${CSRF_COOKIE}=${proof}${rest}`,
    ]);
  }
}

/** The error that the form shows; rethrows any other error. */
function refusalOf(error: unknown): { status: number; message: string } {
  if (error instanceof HttpException) return { status: error.getStatus(), message: error.message };
  if (error instanceof ApiError && error.error === requestErrors.rateLimited) {
    const seconds = Number(error.fields['retry-after']);
    return { status: error.error.status, message: tooManyTries(seconds) };
  }
  throw error;
}
