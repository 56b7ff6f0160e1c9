import type { ProviderAnswer } from './push-transport.js';
import { withinDeadline } from '#core';

/** Where the tokens come from that a provider knows us by. */
export interface SignIn {
  /** The token to send with: at once when it is there. Rejects with NoSignIn. */
  current(): string | Promise<string>;
  /** The provider does not take this token any more. */
  refused(token: string): void;
}

/** There is no token; `answer` says why, as a provider would. */
export class NoSignIn extends Error {
  override readonly name = 'NoSignIn';

  constructor(readonly answer: ProviderAnswer) {
    super('No token to sign in with');
  }
}

/**
 * Makes one attempt with the present token; and one more with another, if there is another, when the
 * provider refuses the token. Answers by `deadline`, a time of `performance.now()`, if `attempt` does.
 */
export async function sendSignedIn(
  signIn: SignIn,
  deadline: number,
  attempt: (token: string) => Promise<ProviderAnswer>,
  refusesToken: (answer: ProviderAnswer) => boolean,
): Promise<ProviderAnswer> {
  const present = signIn.current();
  // For nearly every push: what is there needs no waiting, no timer and no turn of its own.
  const token = typeof present === 'string' ? present : await tokenBefore(deadline, present);
  if (typeof token !== 'string') return token;
  const answer = await attempt(token);
  if (!refusesToken(answer)) return answer;
  signIn.refused(token);
  const another = await tokenBefore(deadline, signIn.current());
  if (typeof another !== 'string') return another;
  return another === token ? answer : attempt(another);
}

/** The token; or what to answer when there is none. */
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
    if (error instanceof NoSignIn) return error.answer;
    return { kind: 'misconfigured', reason: 'there is no token to sign in with' };
  }
}
