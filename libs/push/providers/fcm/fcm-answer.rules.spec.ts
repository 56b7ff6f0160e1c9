import { describe, expect, it } from '@jest/globals';
import { answerOfFcm, refusesAccessToken } from './fcm-answer.rules.js';

const replyOf = (status: number, body: string, retryAfter?: string) => ({
  status,
  body,
  retryAfter,
});

const error = (details: unknown[]) => JSON.stringify({ error: { code: 0, details } });
const fcmError = (errorCode: string) => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
  errorCode,
});
const badRequest = {
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: [{ field: 'message.data', description: 'Invalid' }],
};

describe(answerOfFcm.name, () => {
  it('maps success to accepted', () => {
    expect(answerOfFcm(replyOf(200, '{"name":"projects/p/messages/1"}'), 0)).toEqual({
      kind: 'accepted',
    });
  });

  it("has the error code of FCM's own detail", () => {
    const body = error([badRequest, fcmError('INVALID_ARGUMENT')]);
    expect(answerOfFcm(replyOf(400, body), 0)).toMatchObject({
      status: 400,
      reason: 'INVALID_ARGUMENT',
      invalidFields: 'other',
    });
  });

  const naming = (...fields: string[]) => ({
    ...badRequest,
    fieldViolations: fields.map((field) => ({ field, description: 'Invalid' })),
  });

  it.each([
    ['the token', [naming('message.token')], 'target'],
    ['the installation', [naming('message.fid')], 'target'],
    ['both', [naming('message.token'), naming('message.fid')], 'target'],
    ['the token and another field', [naming('message.token', 'message.data')], 'other'],
    ['a part of the token', [naming('message.token.x')], 'other'],
    ['the message', [naming('message')], 'other'],
    ['an empty field', [naming('')], null],
    ['an empty field and the token', [naming('', 'message.token')], 'target'],
    ['no field', [naming()], null],
    ['no list', [{ '@type': badRequest['@type'] }], null],
    ['no violation that can be read', [{ ...badRequest, fieldViolations: 'x' }], null],
    ['no detail', [], null],
  ])('has the fields of an answer that names %s', (_what, details, invalidFields) => {
    const body = error([...details, fcmError('INVALID_ARGUMENT')]);
    expect(answerOfFcm(replyOf(400, body), 0)).toMatchObject({
      reason: 'INVALID_ARGUMENT',
      invalidFields,
    });
  });

  it.each([
    ['an error without details', '{"error":{"status":"NOT_FOUND"}}'],
    ['details without a code', error([badRequest])],
    ['a body that is no JSON', '<html>404</html>'],
    ['no body', ''],
  ])('has no reason for %s', (_what, body) => {
    expect(answerOfFcm(replyOf(404, body), 0)).toMatchObject({ status: 404, reason: null });
  });

  it('parses Retry-After', () => {
    const body = error([fcmError('QUOTA_EXCEEDED')]);
    expect(answerOfFcm(replyOf(429, body, '7'), 0)).toMatchObject({ retryAfterMs: 7000 });
  });
});

describe(refusesAccessToken.name, () => {
  it.each([
    ['a 401 without a reason', replyOf(401, ''), true],
    [
      'a 401 that concerns the credential of an app',
      replyOf(401, error([fcmError('THIRD_PARTY_AUTH_ERROR')])),
      false,
    ],
    ['a 403', replyOf(403, ''), false],
    ['an accepted push', replyOf(200, '{}'), false],
  ])('of %s', (_, reply, expected) => {
    expect(refusesAccessToken(answerOfFcm(reply, 0))).toBe(expected);
  });
});
