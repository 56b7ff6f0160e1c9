import { setTimeout as wait } from 'node:timers/promises';
import {
  ForbiddenException,
  Inject,
  Injectable,
  NotFoundException,
  Optional,
  UnauthorizedException,
} from '@nestjs/common';
import { type Clock, deriveKey, networkOf, systemClock } from '#platform/core';
import { RateLimits } from '#platform/rate-limits';
import {
  bearerIn,
  cookieIn,
  isSameSecret,
  openSession,
  type OperatorSession,
  readSession,
} from './operator-session.rules.js';

/** The options of the operator's page. */
export interface OpsOptions {
  /** The operator's token; undefined: the page is off. */
  readonly token: string | undefined;
  /** The address of this server for browsers. */
  readonly externalUrl: string;
}

/** DI token of the OpsOptions. */
export const OPS_OPTIONS = Symbol('OpsOptions');

/** Holds the session of an operator. */
export const SESSION_COOKIE = 'carillon_ops';
/** Many HTTP clients, such as Bull Board's, copy this cookie into the header of the same name. */
export const CSRF_COOKIE = 'XSRF-TOKEN';
const CSRF_HEADER = 'x-xsrf-token';

/** The delay of tokens from an address with too many wrong ones. */
const THROTTLE_MS = 1000;

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const IS_OFF =
  'The ops page is off. Set OPS_TOKEN to a secret of at least 16 characters and restart the gateway.';
const ASKS_FOR_SIGN_IN =
  'Sign in at /ops, or send the header Authorization: Bearer with the value of OPS_TOKEN.';

/** The part of a request that authenticates it. */
interface OperatorRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly ip: string;
}

/** Authenticates the operator by the token, or by the session cookie of a sign-in. */
@Injectable()
export class OperatorAuthenticator {
  readonly #token: string | undefined;
  readonly #key: Buffer;

  constructor(
    @Inject(OPS_OPTIONS) { token }: OpsOptions,
    @Optional() private readonly clock: Clock = systemClock,
    private readonly limits: RateLimits,
  ) {
    this.#token = token;
    // A new token ends all sessions.
    this.#key = deriveKey(Buffer.from(token ?? ''), 'ops session');
  }

  /** Throws NotFoundException if the page is off. */
  requireEnabled(): void {
    if (this.#token === undefined) throw new NotFoundException(IS_OFF);
  }

  /**
   * Resolves for an authenticated request. Rejects with NotFoundException if the page is off, with
   * UnauthorizedException, with ForbiddenException for a change without the page's CSRF header, and with ApiError
   * `rateLimited` for a wrong token after too many of them.
   */
  async authenticate({ method, headers, ip }: OperatorRequest): Promise<void> {
    this.requireEnabled();
    const authorization = textOf(headers['authorization']);
    if (authorization !== undefined) {
      return this.#requireToken(bearerIn(authorization) ?? '', ip);
    }
    const session = this.#sessionOf(textOf(headers['cookie']));
    if (session === null) throw new UnauthorizedException(ASKS_FOR_SIGN_IN);
    if (SAFE_METHODS.has(method)) return;
    if (!isSameSecret(session.proof, textOf(headers[CSRF_HEADER]) ?? '')) {
      throw new ForbiddenException('This has to come from the ops page: reload it and try again.');
    }
  }

  /** Exchanges the token for a session, and resets the count of wrong tokens. Rejects as `authenticate` does. */
  async signIn(token: string, ip: string): Promise<OperatorSession> {
    this.requireEnabled();
    await this.#requireToken(token, ip);
    await this.limits.reset('sign-in', triesOf(ip));
    return openSession(this.#key, this.clock());
  }

  #sessionOf(cookies: string | undefined): OperatorSession | null {
    return readSession(this.#key, cookieIn(cookies, SESSION_COOKIE) ?? '', this.clock());
  }

  /**
   * After too many wrong tokens from an address, each token from there is compared a second later. The right token
   * is never rejected: behind an untrusted proxy all operators share an address with everybody else.
   */
  async #requireToken(token: string, ip: string): Promise<void> {
    const tries = triesOf(ip);
    if (await this.limits.isExhausted('sign-in', tries)) await wait(THROTTLE_MS);
    if (isSameSecret(this.#token ?? '', token)) return;
    await this.limits.charge('sign-in', tries);
    throw new UnauthorizedException('This is not the value of OPS_TOKEN.');
  }
}

const triesOf = (ip: string): string => `operator:${networkOf(ip)}`;

const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0];
