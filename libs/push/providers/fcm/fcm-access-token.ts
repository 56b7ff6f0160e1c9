import { request } from 'node:https';
import { importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import { parseJsonOrUndefined } from '#platform/core';
import type { ProviderAnswer } from '../transport/provider-answer.rules.js';
import { type AccessTokenSource, NoAccessToken } from '../transport/send-signed-in.js';

/** One project of Firebase, and the account for it. */
export interface FcmSettings {
  readonly host: string;
  readonly port: number;
  /** PEM; the system's authorities when left out. */
  readonly certificateAuthority?: string | undefined;
  readonly projectId: string;
  readonly account: ServiceAccount;
  /** Bounds the duration of each send. */
  readonly deadlineMs: number;
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** A new token is fetched when the current one expires within this. */
const RENEW_BEFORE_EXPIRY_MS = 300_000;

/** The used fields of a service account's key file. */
interface ServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly privateKeyId: string;
  readonly tokenUri: string;
}

const tokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number() });
const tokenRefusal = z.object({ error: z.string() });

interface AccessToken {
  readonly text: string;
  /** UNIX milliseconds. */
  readonly expiresAt: number;
}

/** The access token of a service account (RFC 7523). Concurrent callers share one request. */
export class FcmAccessToken implements AccessTokenSource {
  #token: AccessToken | undefined;
  #fetching: Promise<string> | undefined;

  constructor(
    private readonly account: ServiceAccount,
    private readonly options: {
      readonly certificateAuthority?: string | undefined;
      readonly deadlineMs: number;
    },
  ) {}

  current(): string | Promise<string> {
    const token = this.#token;
    const isFresh = token !== undefined && token.expiresAt - Date.now() > RENEW_BEFORE_EXPIRY_MS;
    return isFresh ? token.text : this.#renewed(token);
  }

  /** The next call fetches another token. */
  reportRefused(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  async #renewed(token: AccessToken | undefined): Promise<string> {
    const askedAt = Date.now();
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    try {
      return await this.#fetching;
    } catch (error) {
      // The current token is still valid.
      if (token !== undefined && token.expiresAt > askedAt && this.#token === token)
        return token.text;
      throw error;
    }
  }

  async #fetch(): Promise<string> {
    const assertion = await this.#assertion().catch(() => {
      throw new NoAccessToken({ kind: 'misconfigured', reason: 'the private key is invalid' });
    });
    const form = new URLSearchParams({ grant_type: GRANT_TYPE, assertion });
    const { status, body } = await this.#post(form).catch(() => {
      throw new NoAccessToken({ kind: 'unanswered', reason: 'connection' });
    });
    if (status !== 200) throw new NoAccessToken(refusalOf(status, body));
    const { access_token: text, expires_in: seconds } = tokenAnswer.parse(JSON.parse(body));
    this.#token = { text, expiresAt: Date.now() + seconds * 1000 };
    return text;
  }

  async #assertion(): Promise<string> {
    const { clientEmail, privateKey, privateKeyId, tokenUri } = this.account;
    return new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: privateKeyId })
      .setIssuer(clientEmail)
      .setAudience(tokenUri)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(await importPKCS8(privateKey, 'RS256'));
  }

  #post(form: URLSearchParams): Promise<{ status: number; body: string }> {
    const { certificateAuthority: ca, deadlineMs } = this.options;
    return new Promise((resolve, reject) => {
      const sending = request(
        this.account.tokenUri,
        {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          signal: AbortSignal.timeout(deadlineMs),
          ...(ca === undefined ? {} : { ca }),
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() });
          });
        },
      );
      sending.on('error', reject).end(form.toString());
    });
  }
}

/** The result of a push when Google gives no token. */
function refusalOf(status: number, body: string): ProviderAnswer {
  if (status === 429 || status >= 500) return { kind: 'unanswered', reason: 'connection' };
  const error = tokenRefusal.safeParse(parseJsonOrUndefined(body)).data?.error;
  return { kind: 'misconfigured', reason: error ?? `HTTP ${status} for a token` };
}
