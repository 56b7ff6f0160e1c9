import { groupBy } from '#core';

/** A notification to one phone: asked for or shown at this moment, in UNIX milliseconds. */
export interface Moment {
  readonly token: string;
  readonly at: number;
}

/**
 * How long each notification took to its phone, in milliseconds. A phone shows what it is sent in the order of
 * the sending, so that the first that was asked for goes with the first that was shown, and so on.
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
