/** Resolves or rejects with `work`, or with what giving up gives when that has not come in time. */
export function withinDeadline<T>(
  deadlineMs: number,
  work: Promise<T>,
  giveUp: () => T | Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(giveUp()), deadlineMs);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
