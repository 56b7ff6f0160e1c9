import { Deadline } from './deadline.js';

/** Resolves or rejects with `work`, or with what giving up gives when that has not come in time; see Deadline. */
export function withinDeadline<T>(
  deadlineMs: number,
  work: Promise<T>,
  giveUp: () => T | Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = new Deadline(deadlineMs, () => resolve(giveUp()));
    work.then(
      (result) => {
        deadline.stop();
        resolve(result);
      },
      (error: unknown) => {
        deadline.stop();
        reject(error);
      },
    );
  });
}
