import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { endOnDefect } from './end-on-defect.js';

describe(endOnDefect.name, () => {
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = undefined;
  });

  it.each(['uncaughtException', 'unhandledRejection'])(
    'logs an %s as an error and ends the program with 1',
    async (event) => {
      const exited = new Promise<void>((resolve) => {
        // What never returns resolves the promise instead.
        jest.spyOn(process, 'exit').mockImplementation(() => resolve() as never);
      });
      const error = jest.fn();
      const source = new EventEmitter();
      endOnDefect({ error }, source);
      source.emit(event, new TypeError('x is not a function'));
      await exited;
      expect(error).toHaveBeenCalledWith(
        expect.stringContaining('x is not a function'),
        expect.stringContaining('end-on-defect.spec'),
      );
      expect(process.exitCode).toBe(1);
    },
  );
});
