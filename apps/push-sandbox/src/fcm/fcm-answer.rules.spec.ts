import { describe, expect, it } from '@jest/globals';
import { type FcmErrorCode, fcmScriptedAnswer } from './fcm-answer.rules.js';

const fcmError = (errorCode: string) => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
  errorCode,
});
const answerTo = (script: object) => {
  const answer = fcmScriptedAnswer({ platform: 'fcm', ...script }, 'projects/p/messages/1');
  const body: unknown = JSON.parse(answer.body);
  return { ...answer, body };
};

describe(fcmScriptedAnswer.name, () => {
  it.each<[FcmErrorCode, number, string]>([
    ['INVALID_ARGUMENT', 400, 'INVALID_ARGUMENT'],
    ['THIRD_PARTY_AUTH_ERROR', 401, 'UNAUTHENTICATED'],
    ['SENDER_ID_MISMATCH', 403, 'PERMISSION_DENIED'],
    ['UNREGISTERED', 404, 'NOT_FOUND'],
    ['QUOTA_EXCEEDED', 429, 'RESOURCE_EXHAUSTED'],
    ['INTERNAL', 500, 'INTERNAL'],
    ['UNAVAILABLE', 503, 'UNAVAILABLE'],
  ])('answers %s with %i %s', (reason, code, status) => {
    expect(answerTo({ reason })).toMatchObject({
      status: code,
      reason,
      body: { error: { code, status, details: [fcmError(reason)] } },
    });
  });

  it('omits the FcmError entry on request', () => {
    const { status, reason, body } = answerTo({ reason: 'UNREGISTERED', with_details: false });
    expect([status, reason]).toEqual([404, 'NOT_FOUND']);
    expect(body).toEqual({
      error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' },
    });
  });

  it.each([[['message.token']], [['message.data', 'message.android']], [[]]])(
    'adds a BadRequest entry that names %j',
    (fields) => {
      const { body } = answerTo({ reason: 'INVALID_ARGUMENT', bad_request: fields });
      expect(body).toMatchObject({
        error: {
          details: [
            fcmError('INVALID_ARGUMENT'),
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: fields.map((field) => ({ field })),
            },
          ],
        },
      });
    },
  );

  it('has a Retry-After header', () => {
    expect(answerTo({ reason: 'UNAVAILABLE', retry_after: 12 }).headers).toMatchObject({
      'retry-after': '12',
    });
  });

  it.each([
    [200, { name: 'projects/p/messages/1' }],
    [403, { error: { status: 'PERMISSION_DENIED' } }],
    [502, { error: { code: 502, status: 'UNKNOWN' } }],
  ])('answers a bare status %i without an FcmError entry', (status, body) => {
    const answer = answerTo({ status });
    expect(answer).toMatchObject({ status, body });
    expect(JSON.stringify(answer.body)).not.toContain('details');
  });
});
