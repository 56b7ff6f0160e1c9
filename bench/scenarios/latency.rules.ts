import { groupBy } from '#platform/core';

/** The request or the arrival of a notification, in UNIX milliseconds. */
interface Moment {
  readonly token: string;
  readonly at: number;
}

/**
 * The latency of each notification, in milliseconds. A phone shows notifications in the order of sending, so the first
 * request belongs to the first arrival, and so on.
 */
export function arrivalTimes(
  asked: readonly Moment[],
  shown: readonly Moment[],
): { readonly times: readonly number[]; readonly missing: number } {
  const shownOn = groupBy(inOrder(shown), ({ token }) => token);
  const times: number[] = [];
  for (const { token, at } of inOrder(asked)) {
    const arrival = shownOn.get(token)?.shift();
    if (arrival !== undefined) times.push(arrival.at - at);
  }
  return { times, missing: asked.length - times.length };
}

const inOrder = (moments: readonly Moment[]): Moment[] =>
  moments.toSorted((one, other) => one.at - other.at);
