import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import { errorCode, errorText, parseJsonOrUndefined } from '#platform/core';
import { beginTlsThrough, ProxyFault } from '#platform/outbound';
import { answerOfProxyFault } from '../transport/provider-answer.rules.js';
import { NoAccessToken } from '../transport/send-signed-in.js';
import type { FcmSettings, ServiceAccount } from './fcm-credential.js';

/** A token that Google gave out. */
export interface AccessToken {
  readonly text: string;
  /** UNIX milliseconds. */
  readonly expiresAt: number;
}

/** The account, and the options of the request; the deadline bounds the whole answer. */
type TokenRequest = Pick<FcmSettings, 'account' | 'certificateAuthority' | 'proxy' | 'deadlineMs'>;

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** A longer answer counts as none. */
const MAX_ANSWER_BYTES = 65_536;

const tokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number() });
/** A longer error is no name. */
const tokenRefusal = z.object({ error: z.string().max(100) });

interface TokenAnswer {
  readonly status: number;
  readonly body: string;
}

/** Requests an access token for a service account (RFC 7523). Rejects with NoAccessToken. */
export async function requestAccessToken(settings: TokenRequest): Promise<AccessToken> {
  const { account } = settings;
  const assertion = await assertionOf(account).catch(() => {
    const reason = 'the private key is invalid';
    throw new NoAccessToken({ kind: 'misconfigured', reason }, reason);
  });
  const form = new URLSearchParams({ grant_type: GRANT_TYPE, assertion });
  const answer = await post(form, settings).catch((error: unknown) => {
    if (error instanceof ProxyFault) throw refusedByProxy(account, error);
    throw noAnswer(account, faultOf(error));
  });
  if (answer.status !== 200) throw refusalOf(account, answer);
  const parsed = tokenAnswer.safeParse(parseJsonOrUndefined(answer.body)).data;
  // Not of Google: a proxy may have replaced the answer.
  if (parsed === undefined) throw noAnswer(account, 'an answer without a token');
  return { text: parsed.access_token, expiresAt: Date.now() + parsed.expires_in * 1000 };
}

async function assertionOf(account: ServiceAccount): Promise<string> {
  const { clientEmail, privateKey, privateKeyId, tokenUri } = account;
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: privateKeyId })
    .setIssuer(clientEmail)
    .setAudience(tokenUri)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importPKCS8(privateKey, 'RS256'));
}

async function post(form: URLSearchParams, settings: TokenRequest): Promise<TokenAnswer> {
  const { account, certificateAuthority: ca, deadlineMs } = settings;
  const signal = AbortSignal.timeout(deadlineMs);
  const socket = await tunnelTo(settings, signal);
  return new Promise((resolve, reject) => {
    const sending = request(
      account.tokenUri,
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        signal,
        ...(ca === undefined ? {} : { ca }),
        // Without an agent, also not `false`: an agent would make a connection of its own, around the proxy.
        ...(socket !== null && { createConnection: () => socket }),
      },
      (response) => {
        const parts: Buffer[] = [];
        let length = 0;
        response.on('data', (part: Buffer) => {
          parts.push(part);
          length += part.length;
          if (length > MAX_ANSWER_BYTES) response.destroy(new Error('the answer is too long'));
        });
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() });
        });
      },
    );
    sending.on('error', reject).end(form.toString());
  });
}

/** Null for a direct way. Rejects with ProxyFault. */
async function tunnelTo(
  { account, certificateAuthority: ca, proxy }: TokenRequest,
  signal: AbortSignal,
): Promise<TLSSocket | null> {
  const { hostname, port: given } = new URL(account.tokenUri);
  const host = hostname.replaceAll(/[[\]]/g, '');
  const port = given === '' ? 443 : Number(given);
  if (proxy?.isFor(host, port) !== true) return null;
  return beginTlsThrough(proxy, { host, port, ...(ca !== undefined && { ca }) }, signal);
}

const refusedByProxy = (account: ServiceAccount, fault: ProxyFault): NoAccessToken =>
  new NoAccessToken(answerOfProxyFault(fault), `${hostOf(account)}: ${fault.message}`);

function refusalOf(account: ServiceAccount, { status, body }: TokenAnswer): NoAccessToken {
  if (status === 429 || status >= 500) return noAnswer(account, `HTTP ${status}`);
  const name = tokenRefusal.safeParse(parseJsonOrUndefined(body)).data?.error;
  const reason = name ?? `HTTP ${status} for a token`;
  return new NoAccessToken({ kind: 'misconfigured', reason }, `${hostOf(account)}: ${reason}`);
}

/** A request that was aborted at its deadline fails with the code of the abortion. */
const faultOf = (error: unknown): string =>
  errorCode(error) === 'ABORT_ERR'
    ? 'no answer in time'
    : String(errorCode(error) ?? errorText(error));

const noAnswer = (account: ServiceAccount, fault: string): NoAccessToken =>
  new NoAccessToken({ kind: 'unanswered', reason: 'connection' }, `${hostOf(account)}: ${fault}`);

const hostOf = ({ tokenUri }: ServiceAccount): string => new URL(tokenUri).host;
