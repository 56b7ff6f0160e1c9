/** What `work` resolves with, or `otherwise` when it takes longer than `waitMs`; the work goes on. */
export async function within<Value>(
  waitMs: number,
  work: Promise<Value>,
  otherwise: Value,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Value>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), waitMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
