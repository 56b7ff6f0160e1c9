/** What goes back over the channel to the parent. */
export type ParentReply = { readonly result: unknown } | { readonly failure: string };

/**
 * Makes this process answer what BenchProcess asks, one question after another, until the parent is
 * gone. Settings come this way and not on the command line, where everybody could read a password.
 */
export function answerParent<Question>(answer: (question: Question) => Promise<unknown>): void {
  process.on('message', (question) => {
    // The parent's side of the channel is typed with the same Question.
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
