import { withinDeadline } from '#platform/core';
import type { ProviderAnswer } from './provider-answer.rules.js';

/** Provides the tokens that requests to a provider are signed in with. */
export interface AccessTokenSource {
  /** The current token, synchronously if it is known. Rejects with NoAccessToken. */
  current(): string | Promise<string>;
  /** The provider has rejected this token. */
  reportRefused(token: string): void;
}

/** No token can be had; `answer` is the result of the push, and `fault` is for the log. */
export class NoAccessToken extends Error {
  override readonly name = 'NoAccessToken';

  constructor(
    readonly answer: ProviderAnswer,
    fault = 'No token to sign in with',
  ) {
    super(fault);
  }
}

/**
 * Makes one attempt with the current token. If the provider rejects the token and the source has another one,
 * makes a second attempt. `deadline` is a time of `performance.now()`; it bounds the wait for tokens.
 */
export async function sendSignedIn(
  tokens: AccessTokenSource,
  deadline: number,
  attempt: (token: string) => Promise<ProviderAnswer>,
  refusesToken: (answer: ProviderAnswer) => boolean,
): Promise<ProviderAnswer> {
  const current = tokens.current();
  // The usual case: a known token costs no timer and no turn of the event loop.
  const token = typeof current === 'string' ? current : await tokenBefore(deadline, current);
  if (typeof token !== 'string') return token;
  const answer = await attempt(token);
  if (!refusesToken(answer)) return answer;
  tokens.reportRefused(token);
  const another = await tokenBefore(deadline, tokens.current());
  if (typeof another !== 'string') return another;
  return another === token ? answer : attempt(another);
}

/** The token; or the result of the push without one. */
async function tokenBefore(
  deadline: number,
  token: string | Promise<string>,
): Promise<string | ProviderAnswer> {
  try {
    return await withinDeadline<string | ProviderAnswer>(
      deadline - performance.now(),
      Promise.resolve(token),
      () => ({ kind: 'unanswered', reason: 'deadline' }),
    );
  } catch (error) {
    if (error instanceof NoAccessToken) return error.answer;
    return { kind: 'misconfigured', reason: 'there is no token to sign in with' };
  }
}
