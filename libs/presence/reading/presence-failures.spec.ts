import { describe, expect, it } from '@jest/globals';
import { defectCounts } from '#platform/core';
import {
  CallFailed,
  ConnectionLost,
  DeadlineExceeded,
  PresenceUnavailable,
} from '#presence/client';
import { reportUnexpectedFailure } from './presence-failures.js';

const counted = (): number => defectCounts().get('PresenceReading') ?? 0;

describe(reportUnexpectedFailure.name, () => {
  it.each([
    new ConnectionLost('Not connected'),
    new DeadlineExceeded('No answer in time'),
    new PresenceUnavailable('No presence process can be reached'),
    new CallFailed('Error: The realm is not loaded yet'),
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  ])('ignores %s', (error) => {
    const before = counted();
    reportUnexpectedFailure(error);
    expect(counted()).toBe(before);
  });

  it.each([new TypeError('x is not a function'), new CallFailed('TypeError: y'), 'text'])(
    'counts %s',
    (error) => {
      const before = counted();
      reportUnexpectedFailure(error);
      expect(counted()).toBe(before + 1);
    },
  );
});
