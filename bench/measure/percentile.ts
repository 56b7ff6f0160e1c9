/** The percentile of the values by the nearest rank; `part` is between 0 and 1. NaN without values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

/** The median and the 99th percentile, such as `p50 1.2 ms, p99 3.4 ms`. */
export const latencyText = (latencies: readonly number[]): string =>
  [0.5, 0.99]
    .map((part) => `p${part * 100} ${percentile(latencies, part).toFixed(1)} ms`)
    .join(', ');
