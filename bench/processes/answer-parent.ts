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
