import type { ApnsEnvironment } from '#contracts';
import type { ProviderAnswer } from '../transport/push-transport.js';

/** One credential in one of Apple's environments: a way that pushes of some topics may go. */
export interface ApnsWay {
  readonly environment: ApnsEnvironment;
}

/** Ways by topic; `others` is for topics that none of them names. */
export interface ApnsWays<Way extends ApnsWay> {
  readonly named: ReadonlyMap<string, readonly Way[]>;
  readonly others: readonly Way[];
}

/**
 * The ways that a push may go, in the order to try them. A topic that is named goes by what names it alone.
 * Where the device's environment is known only that one will do; else a second one may know the device.
 */
export function waysToTry<Way extends ApnsWay>(
  { named, others }: ApnsWays<Way>,
  topic: string,
  known: ApnsEnvironment | null,
): readonly Way[] {
  const ways = named.get(topic) ?? others;
  return known === null ? ways : ways.filter(({ environment }) => environment === known);
}

/** Whether Apple does not know the device there, so that it may be one of the other environment. */
export const isUnknownThere = (answer: ProviderAnswer): boolean =>
  answer.kind === 'refused' && answer.status === 400 && answer.reason === 'BadDeviceToken';

/**
 * What is known of a device that one environment does not know, after asking the other. Only what may be
 * different the next time is worth another attempt; everything else leaves the token bad.
 */
export function answerOfBoth(first: ProviderAnswer, second: ProviderAnswer): ProviderAnswer {
  switch (second.kind) {
    case 'misconfigured':
    case 'unsendable':
      return first;
    case 'refused': {
      const isPassing = second.status === 429 || second.status >= 500;
      // Of a dead token the other environment may also tell since when.
      return isPassing || second.status === 410 ? second : first;
    }
    default:
      return second;
  }
}
