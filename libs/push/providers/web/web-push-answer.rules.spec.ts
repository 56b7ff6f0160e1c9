import { describe, expect, it } from '@jest/globals';
import { answerOfWebPush } from './web-push-answer.rules.js';
import type { KnownService } from './web-push-endpoint.rules.js';

const NOW = 1_700_000_000_000;

const answer = (
  status: number,
  body = '',
  service: KnownService | null = null,
  isKeyAccepted = false,
) =>
  answerOfWebPush(
    { kind: 'reply', status, body, retryAfter: undefined },
    { service, isKeyAccepted },
    NOW,
  );

describe(answerOfWebPush.name, () => {
  it.each([200, 201, 202, 204])('takes %i for accepted, whatever the body says', (status) => {
    expect(answer(status, '<html>')).toEqual({ kind: 'accepted' });
  });

  it.each<[number, string, KnownService | null, string | null]>([
    [404, '{"code":404,"errno":102,"error":"Not Found"}', 'mozilla', 'errno 102'],
    [410, '{"code":410,"errno":103}', 'mozilla', 'errno 103'],
    [400, '{"reason":"BadWebPushTopic"}', 'apple', 'BadWebPushTopic'],
    [410, '{"reason":"Unregistered"}', 'apple', 'Unregistered'],
    [400, '{"reason":"<b>no code</b>"}', 'apple', null],
    [404, 'push subscription has unsubscribed', 'google', null],
    [410, '', 'microsoft', null],
    [404, '{"reason":"Unregistered","errno":102}', null, null],
    [404, '<html>Not found</html>', null, null],
    [503, '', 'mozilla', null],
  ])('has the code of %i %s from %s: %s', (status, body, service, reason) => {
    expect(answer(status, body, service)).toMatchObject({ kind: 'refused', status, reason });
  });

  it.each<[number, string, KnownService]>([
    [401, '{"code":401,"errno":109,"error":"Unauthorized"}', 'mozilla'],
    [403, 'the key in the authorization header does not correspond', 'google'],
    [400, 'UnauthorizedRegistration', 'google'],
    [400, '<TITLE>Unauthorized Registration</TITLE>', 'google'],
    [403, '{"reason":"VapidPkHashMismatch"}', 'apple'],
    [403, '{"reason":"BadJwtToken"}', 'apple'],
    [401, '', 'microsoft'],
  ])('knows %i %s of %s as a refused sign-in', (status, body, service) => {
    expect(answer(status, body, service)).toMatchObject({ reason: 'VapidRefused' });
    expect(answer(status, body, service, true)).toMatchObject({ reason: 'VapidKeyMismatch' });
  });

  it('reads Retry-After', () => {
    const reply = { kind: 'reply', status: 429, body: '', retryAfter: '120' } as const;
    const facts = { service: null, isKeyAccepted: false };
    expect(answerOfWebPush(reply, facts, NOW)).toMatchObject({ retryAfterMs: 120_000 });
  });
});
