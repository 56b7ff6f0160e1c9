import { describe, expect, it } from '@jest/globals';
import { sendByHalves } from './send-by-halves.js';
import type { ServiceAnswer } from '../service-answer.rules.js';

const ok: ServiceAnswer = { kind: 'ok', body: {} };
const away: ServiceAnswer = { kind: 'server_error', status: 503, retryAfterMs: null };
const refused = (code = 'BAD_REQUEST', status = 400): ServiceAnswer => ({
  kind: 'refused',
  status,
  code,
  msg: '',
  retryAfterMs: null,
});

const pushes = Array.from({ length: 500 }, (_, index) => index);

/** The kinds of the answers by push, and the number of requests. */
async function answersOf(
  answerTo: (sent: readonly number[], request: number) => ServiceAnswer,
): Promise<{ readonly kinds: ReadonlyMap<number, string>; readonly requests: number }> {
  let requests = 0;
  const parts = await sendByHalves(pushes, async (sent) => answerTo(sent, (requests += 1)));
  const kinds = parts.flatMap(({ pushes: sent, answer }) =>
    sent.map((push) => [push, answer.kind] as const),
  );
  expect(kinds).toHaveLength(pushes.length);
  return { kinds: new Map(kinds), requests };
}

const withoutOk = (kinds: ReadonlyMap<number, string>) =>
  [...kinds].filter(([, kind]) => kind !== 'ok');

describe(sendByHalves.name, () => {
  it('makes one request if none is refused', async () => {
    const { kinds, requests } = await answersOf(() => ok);
    expect(withoutOk(kinds)).toEqual([]);
    expect(requests).toBe(1);
  });

  it.each([0, 123, 250, 499])('sends all but the one that the service refuses: %i', async (bad) => {
    const { kinds, requests } = await answersOf((sent) => (sent.includes(bad) ? refused() : ok));
    expect(withoutOk(kinds)).toEqual([[bad, 'refused']]);
    expect(requests).toBeLessThan(20);
  });

  it('sends all but two that the service refuses', async () => {
    const bad = [1, 400];
    const { kinds } = await answersOf((sent) =>
      bad.some((push) => sent.includes(push)) ? refused() : ok,
    );
    expect(withoutOk(kinds)).toEqual(bad.map((push) => [push, 'refused']));
  });

  it.each<[string, ServiceAnswer]>([
    ['a proxy', { kind: 'unexpected', status: 413 }],
    ['the service', refused('BAD_REQUEST', 413)],
  ])('sends all in requests that %s does not refuse as too large', async (_, tooLarge) => {
    const { kinds, requests } = await answersOf((sent) => (sent.length > 200 ? tooLarge : ok));
    expect(withoutOk(kinds)).toEqual([]);
    expect(requests).toBe(7);
  });

  it('makes a limited number of requests if the service refuses all', async () => {
    const { kinds, requests } = await answersOf(() => refused());
    expect(withoutOk(kinds)).toHaveLength(pushes.length);
    expect(requests).toBeLessThanOrEqual(40);
  });

  it.each([
    ['the organisation', refused('PUSH_NOTIFICATIONS_DISALLOWED')],
    ['the server of the organisation', refused('REMOTE_REALM_SERVER_MISMATCH_ERROR', 403)],
    ['the server', refused('INVALID_ZULIP_SERVER')],
    ['no push', away],
  ])('makes no more requests for an answer about %s', async (_, answer) => {
    expect(await answersOf(() => answer)).toMatchObject({ requests: 1 });
  });

  it('answers with the failure if the service goes away meanwhile', async () => {
    const { kinds } = await answersOf((_sent, request) => (request === 1 ? refused() : away));
    expect(new Set(kinds.values())).toEqual(new Set(['server_error']));
  });

  it('sends all if the service refuses nothing any more', async () => {
    const { kinds } = await answersOf((_sent, request) => (request === 1 ? refused() : ok));
    expect(withoutOk(kinds)).toEqual([]);
  });
});
