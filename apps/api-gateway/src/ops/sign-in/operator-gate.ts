import {
  ForbiddenException,
  Inject,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import { CLOCK, type Clock, deriveKey, networkOf } from '#core';
import { RateLimits } from '#rate-limits';
import {
  bearerIn,
  cookieIn,
  isSameSecret,
  openSession,
  type OperatorSession,
  readSession,
} from './operator-session.rules.js';
import { OPS_OPTIONS, type OpsOptions } from './ops-options.js';

export const SESSION_COOKIE = 'carillon_ops';
/** The names under which many clients, that of Bull Board too, send a proof along by themselves. */
export const PROOF_COOKIE = 'XSRF-TOKEN';
const PROOF_HEADER = 'x-xsrf-token';

/** How long a token waits that comes from an address with too many wrong ones. */
const SLOWED_MS = 1000;

const CHANGES_NOTHING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const IS_OFF =
  'The ops page is off. Set OPS_TOKEN to a secret of at least 16 characters and restart the gateway.';
const ASKS_FOR_SIGN_IN =
  'Sign in at /ops, or send the header Authorization: Bearer with the value of OPS_TOKEN.';

/** What of a request decides whether it is let in. */
export interface OperatorRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly ip: string;
}

/** Lets the operator in: with the token itself, or with the session that it was traded for. */
@Injectable()
export class OperatorGate {
  readonly #token: string | undefined;
  readonly #key: Buffer;

  constructor(
    @Inject(OPS_OPTIONS) { token }: OpsOptions,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly limits: RateLimits,
  ) {
    this.#token = token;
    // Another token makes another key, and so ends every session.
    this.#key = deriveKey(Buffer.from(token ?? ''), 'ops session');
  }

  /** Throws NotFoundException when the page is off. */
  requireOn(): void {
    if (this.#token === undefined) throw new NotFoundException(IS_OFF);
  }

  /**
   * Resolves when the request may come in. Rejects with NotFoundException when the page is off, with
   * UnauthorizedException, with ForbiddenException for a change that the page itself did not ask for, and
   * with ApiError `rateLimited` for a wrong token after too many of them.
   */
  async admit({ method, headers, ip }: OperatorRequest): Promise<void> {
    this.requireOn();
    const authorization = textOf(headers['authorization']);
    if (authorization !== undefined) {
      return this.#requireToken(bearerIn(authorization) ?? '', ip);
    }
    const session = this.#sessionOf(textOf(headers['cookie']));
    if (session === null) throw new UnauthorizedException(ASKS_FOR_SIGN_IN);
    if (CHANGES_NOTHING.has(method)) return;
    if (!isSameSecret(session.proof, textOf(headers[PROOF_HEADER]) ?? '')) {
      throw new ForbiddenException('This has to come from the ops page: reload it and try again.');
    }
  }

  /** Trades the token for a session. Rejects as `admit` does; a good token forgives the wrong ones. */
  async signIn(token: string, ip: string): Promise<OperatorSession> {
    this.requireOn();
    await this.#requireToken(token, ip);
    await this.limits.forgive('sign-in', triesOf(ip));
    return openSession(this.#key, this.clock());
  }

  #sessionOf(cookies: string | undefined): OperatorSession | null {
    return readSession(this.#key, cookieIn(cookies, SESSION_COOKIE) ?? '', this.clock());
  }

  /**
   * After too many wrong tokens from an address every token from there is compared a second later, which slows
   * guessing down. The right one is never refused: behind a proxy that is not trusted all operators share an
   * address with everybody else.
   */
  async #requireToken(token: string, ip: string): Promise<void> {
    const tries = triesOf(ip);
    if (await this.limits.isUsedUp('sign-in', tries)) await wait(SLOWED_MS);
    if (isSameSecret(this.#token ?? '', token)) return;
    await this.limits.charge('sign-in', tries);
    throw new UnauthorizedException('This is not the value of OPS_TOKEN.');
  }
}

const triesOf = (ip: string): string => `operator:${networkOf(ip)}`;

const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0];
