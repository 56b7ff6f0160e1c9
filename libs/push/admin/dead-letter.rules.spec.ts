import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deadLetterId, parseDeadLetterId } from './dead-letter.rules.js';

const notificationId = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe(parseDeadLetterId.name, () => {
  it('parses every id that it formats', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 2 ** 31 - 1 }), (id, deviceId) => {
        expect(parseDeadLetterId(deadLetterId(id, deviceId))).toEqual({
          notificationId: id,
          deviceId,
        });
      }),
    );
  });

  it('accepts the id of a notification for all of its letters', () => {
    expect(parseDeadLetterId(notificationId.toUpperCase())).toEqual({
      notificationId,
      deviceId: null,
    });
  });

  it.each([
    '',
    'all',
    `${notificationId}/`,
    `${notificationId}/0`,
    `${notificationId}/x`,
    `${notificationId}/2147483648`,
    `${notificationId}/1/2`,
    `x${notificationId}`,
  ])('rejects "%s"', (id) => {
    expect(parseDeadLetterId(id)).toBeNull();
  });
});
