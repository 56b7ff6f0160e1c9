import { describe, expect, it } from '@jest/globals';
import { type ProviderAnswer, refusal } from './provider-answer.rules.js';
import { NoAccessToken, sendSignedIn, type AccessTokenSource } from './send-signed-in.js';

const accepted: ProviderAnswer = { kind: 'accepted' };
const refused = refusal({ status: 401, reason: null });

/** Gives these tokens, one after the other, as each is refused. */
function tokensOf(...tokens: string[]): AccessTokenSource & { readonly refusedOnes: string[] } {
  const refusedOnes: string[] = [];
  return {
    refusedOnes,
    current: () => Promise.resolve(tokens[Math.min(refusedOnes.length, tokens.length - 1)] ?? ''),
    reportRefused: (token) => refusedOnes.push(token),
  };
}

const send = (signIn: AccessTokenSource, answers: Readonly<Record<string, ProviderAnswer>>) =>
  sendSignedIn(
    signIn,
    performance.now() + 1000,
    (token) => Promise.resolve(answers[token] ?? accepted),
    ({ kind }) => kind === 'refused',
  );

describe(sendSignedIn.name, () => {
  it('repeats with another token after a rejection', async () => {
    const signIn = tokensOf('old', 'new');
    expect(await send(signIn, { old: refused })).toEqual(accepted);
    expect(signIn.refusedOnes).toEqual(['old']);
  });

  it('does not repeat with the same token', async () => {
    expect(await send(tokensOf('only'), { only: refused })).toEqual(refused);
  });

  it('does not try a third token', async () => {
    const signIn = tokensOf('a', 'b', 'c');
    expect(await send(signIn, { a: refused, b: refused })).toEqual(refused);
    expect(signIn.refusedOnes).toEqual(['a']);
  });

  it('returns the reason for a missing token', async () => {
    const answer: ProviderAnswer = { kind: 'misconfigured', reason: 'invalid_grant' };
    const signIn: AccessTokenSource = {
      current: () => Promise.reject(new NoAccessToken(answer)),
      reportRefused: () => undefined,
    };
    expect(await send(signIn, {})).toEqual(answer);
  });

  it('does not wait for a token beyond the deadline', async () => {
    const signIn: AccessTokenSource = {
      current: () => new Promise<string>(() => undefined),
      reportRefused: () => undefined,
    };
    const deadline = performance.now() + 10;
    expect(
      await sendSignedIn(
        signIn,
        deadline,
        () => Promise.resolve(accepted),
        () => false,
      ),
    ).toEqual({
      kind: 'unanswered',
      reason: 'deadline',
    });
  });
});
