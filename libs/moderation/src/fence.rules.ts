const SHORTEST_FENCE = 3;

/** Puts a text into a fence that nothing in it can close; what kind of fence is said by `kind`, in one line. */
export function fenced(kind: string, text: string): string {
  const fence = '`'.repeat(fenceLength(text));
  return `${fence}${kind}\n${text}\n${fence}`;
}

/** A fence is closed by one that is at least as long. */
function fenceLength(text: string): number {
  const runs = text.match(/`+/g) ?? [];
  return runs.reduce((longest, { length }) => Math.max(longest, length + 1), SHORTEST_FENCE);
}
