/** A message to the parent. */
export type ParentReply = { readonly result: unknown } | { readonly failure: string };

/**
 * Makes this process answer the questions of BenchProcess in order. The process exits when the parent disconnects.
 * Settings arrive over the channel, because other users can read passwords in a command line.
 */
export function answerParent<Question>(answer: (question: Question) => Promise<unknown>): void {
  process.on('message', (question) => {
    // BenchProcess sends only questions of this type.
    answer(question as Question).then(
      (result: unknown) => reply({ result: result ?? null }),
      (error: unknown) => reply({ failure: error instanceof Error ? String(error.stack) : '' }),
    );
  });
  process.on('disconnect', () => process.exit());
}

function reply(message: ParentReply): void {
  process.send?.(message);
}

/** The questions to a process with a crowd: the first one has its plan, the others call its methods. */
export type CrowdQuestion =
  { readonly plan: unknown } | { readonly method: string; readonly args: readonly unknown[] };

/** Makes this process gather a crowd of clients for a RemoteCrowd, and call its methods. */
export function serveCrowd<Plan>(gather: (plan: Plan) => object | Promise<object>): void {
  let crowd: object = {};
  answerParent(async (question: CrowdQuestion) => {
    if ('plan' in question) {
      // RemoteCrowd sends only plans of this type, and only names of methods.
      crowd = await gather(question.plan as Plan);
      return null;
    }
    const { method, args } = question;
    return (crowd as Record<string, (...given: readonly unknown[]) => unknown>)[method]?.(...args);
  });
}
