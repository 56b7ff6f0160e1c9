import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { RecurringError } from './recurring-error.js';

class RecordingLogger extends Logger {
  readonly errors: unknown[] = [];

  override error(message: unknown): void {
    this.errors.push(message);
  }
}

describe(RecurringError.name, () => {
  let logger: RecordingLogger;
  let nowMs: number;
  let sut: RecurringError;

  beforeEach(() => {
    logger = new RecordingLogger();
    nowMs = 0;
    sut = new RecurringError(logger, () => nowMs);
  });

  it('logs the first error, and then one line a minute with the count', () => {
    for (nowMs = 0; nowMs <= 60_000; nowMs += 20_000) sut.log('refused');
    expect(logger.errors).toEqual(['refused', 'refused (3 times)']);
  });

  it('omits a count of one', () => {
    sut.log('refused');
    nowMs = 90_000;
    sut.log('refused');
    expect(logger.errors).toEqual(['refused', 'refused']);
  });
});
