import { describe, expect, it } from '@jest/globals';
import { ProxyFault } from '#platform/outbound';
import {
  answerOf,
  connectionFaultOf,
  encryptedErrorOf,
  type FailedAnswer,
  isTemporary,
  legacyErrorOf,
  providerAnswerOf,
} from './service-answer.rules.js';

const response = (status: number, text: string, retryAfter: string | null = null) => ({
  status,
  text,
  retryAfter,
});

function failed(status: number, text = '', retryAfter: string | null = null): FailedAnswer {
  const answer = answerOf(response(status, text, retryAfter), 0);
  if (answer.kind === 'ok') throw new Error('expected a failure');
  return answer;
}

const refused = (status: number, code: string, retryAfter: string | null = null) =>
  failed(status, JSON.stringify({ result: 'error', code, msg: 'why' }), retryAfter);

describe(answerOf, () => {
  it('accepts only status 200 with a success', () => {
    const body = { result: 'success', realm: null };
    expect(answerOf(response(200, JSON.stringify(body)), 0)).toEqual({ kind: 'ok', body });
    for (const text of ['', '[]', 'null', '{"a"', '"x"', '<html>', '{}', '{"result":"error"}']) {
      expect(answerOf(response(200, text), 0)).toEqual({ kind: 'unexpected', status: 200 });
    }
    expect(answerOf(response(201, '{}'), 0)).toEqual({ kind: 'unexpected', status: 201 });
    expect(answerOf(response(302, '{}'), 0)).toEqual({ kind: 'unexpected', status: 302 });
  });

  it('reads the code, the text and the pause of a refusal, and bounds them', () => {
    expect(refused(429, 'RATE_LIMIT_HIT', '7')).toEqual({
      kind: 'refused',
      status: 429,
      code: 'RATE_LIMIT_HIT',
      msg: 'why',
      retryAfterMs: 7000,
    });
    expect(failed(400, JSON.stringify({ code: 5, msg: 'why' }))).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'why',
    });
    const long = failed(400, JSON.stringify({ code: 'A', msg: 'x'.repeat(10_000) }));
    expect(long).toMatchObject({ msg: 'x'.repeat(500) });
    expect(failed(400, '<html>')).toEqual({ kind: 'unexpected', status: 400 });
  });
});

describe('An answer of something other than a push service', () => {
  it.each(['{"message":"Forbidden"}', '{"error":"no route"}', '{"code":"FORBIDDEN"}', '[]'])(
    'is no refusal: %s',
    (text) => {
      expect(failed(403, text)).toEqual({ kind: 'unexpected', status: 403 });
      expect(failed(429, text, '7')).toEqual({
        kind: 'server_error',
        status: 429,
        retryAfterMs: 7000,
      });
    },
  );

  it.each(['NOT_FOUND', 'NONEXISTENT_SUBDOMAIN'])('does not know the path: %s', (code) => {
    expect(refused(404, code)).toEqual({ kind: 'unexpected', status: 404 });
    expect(failed(404, '{"msg":"Not found"}')).toEqual({ kind: 'unexpected', status: 404 });
  });

  it('is a refusal with a code of the protocol', () => {
    expect(refused(404, 'BAD_REQUEST')).toMatchObject({ kind: 'refused', status: 404 });
  });
});

describe('A failure', () => {
  const unreachable: FailedAnswer = { kind: 'unreachable', fault: 'SSLError', wasSent: false };

  it.each([
    [unreachable, 'unanswered', 502, 502, true],
    [failed(503), 'refused', 502, 502, true],
    [failed(302), 'misconfigured', 502, 403, true],
    [failed(400, '<html>'), 'misconfigured', 502, 403, true],
    [failed(200, '<html>'), 'unanswered', 502, 403, true],
    [refused(401, 'UNAUTHORIZED'), 'misconfigured', 400, 403, true],
    [refused(400, 'INVALID_ZULIP_SERVER'), 'misconfigured', 502, 403, true],
    [refused(429, 'RATE_LIMIT_HIT'), 'refused', 400, 403, true],
    [refused(400, 'PUSH_NOTIFICATIONS_DISALLOWED'), 'refused', 502, 403, false],
    [refused(403, 'MISSING_REMOTE_REALM'), 'refused', 400, 403, false],
    [refused(400, 'BAD_REQUEST'), 'refused', 400, 403, false],
  ])('%j: a delivery is %s, users get %i and %i', (answer, delivery, older, encrypted, isLater) => {
    expect(providerAnswerOf(answer).kind).toBe(delivery);
    expect(legacyErrorOf(answer).error.status).toBe(older);
    expect(encryptedErrorOf(answer).error.status).toBe(encrypted);
    expect(isTemporary(answer)).toBe(isLater);
  });
});

describe(providerAnswerOf, () => {
  it('keeps the pause of a refusal', () => {
    expect(providerAnswerOf(refused(429, 'RATE_LIMIT_HIT', '7'))).toMatchObject({
      status: 429,
      reason: null,
      retryAfterMs: 7000,
    });
    expect(providerAnswerOf(failed(503, '', '7'))).toMatchObject({
      status: 503,
      reason: null,
      retryAfterMs: 7000,
    });
  });

  it('is a throttle if a proxy before the service limits the rate', () => {
    expect(providerAnswerOf(failed(429, '<html>', '30'))).toMatchObject({
      kind: 'refused',
      status: 429,
      reason: null,
      retryAfterMs: 30_000,
    });
  });

  it('keeps the code of a refusal other than a throttle', () => {
    expect(providerAnswerOf(refused(403, 'MISSING_REMOTE_REALM'))).toMatchObject({
      status: 403,
      reason: 'MISSING_REMOTE_REALM',
    });
  });

  it.each([
    ['ReadTimeout', true, { reason: 'deadline', wasSent: true }],
    ['ReadTimeout', false, { reason: 'deadline' }],
    ['ConnectionError', true, { reason: 'connection', wasSent: true }],
    ['ConnectionError', false, { reason: 'connection' }],
    ['SSLError', false, { reason: 'connection' }],
    ['ProxyError', false, { reason: 'proxy' }],
  ] as const)('names %s, sent: %j, %j', (fault, wasSent, expected) => {
    expect(providerAnswerOf({ kind: 'unreachable', fault, wasSent })).toEqual({
      kind: 'unanswered',
      ...expected,
    });
  });

  it('is a wrong configuration if the proxy refuses the sign-in', () => {
    const fault = { kind: 'unreachable', fault: 'ProxyError', wasSent: false } as const;
    expect(providerAnswerOf({ ...fault, isSignInRefused: true })).toEqual({
      kind: 'misconfigured',
      reason: 'proxy',
    });
  });
});

describe(connectionFaultOf, () => {
  const coded = (code: string) => Object.assign(new Error('failed'), { code });

  it.each([
    ['ECONNREFUSED', 'ConnectionError'],
    ['ETIMEDOUT', 'ConnectionError'],
    ['CERT_HAS_EXPIRED', 'SSLError'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SSLError'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'SSLError'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SSLError'],
  ])('names %s %s', (code, fault) => {
    expect(connectionFaultOf(coded(code))).toBe(fault);
  });

  it('names the proxy, and what it does not know', () => {
    expect(connectionFaultOf(new ProxyFault('no tunnel'))).toBe('ProxyError');
    expect(connectionFaultOf('odd')).toBe('ConnectionError');
  });
});
