/** What an answer says of its token: alive; dead; or dead, which may as well be our own fault. */
export type TokenNews = 'alive' | 'dead' | 'suspect';

/** News of a token, and the account that registered it. */
export interface AccountNews {
  readonly userId: number;
  readonly news: TokenNews;
}

const WINDOW_MS = 300_000;
/**
 * And no more than two hundred accounts' news: by the time that a wrong topic shows in the share of five busy
 * minutes, thousands of tokens would be gone.
 */
const CHUNK_SIZE = 20;
const MOST_CHUNKS = 10;

/**
 * A wrong topic, project or environment brings these for every token, and little else brings many.
 * That a token is no longer registered says nothing of our configuration, and Apple dates it: only
 * where hardly one in five lives is the provider itself not believed.
 */
const LIMITS = {
  suspect: { least: 10, share: 0.5 },
  dead: { least: 100, share: 0.8 },
} as const;
/** An alarm is lifted well below what raises it, so that it does not come and go. */
const LIFTING_PART = 0.5;
const LEAST_TO_LIFT = 10;
const CALM_MS = 1_800_000;

interface Chunk {
  /** UNIX milliseconds. */
  readonly since: number;
  /** Of each account the same news only once, in all chunks together. */
  readonly heard: readonly AccountNews[];
}

interface Counts {
  readonly answers: number;
  /** Dead in either way. */
  readonly dead: number;
  readonly suspect: number;
}

/** Why no token of an app is removed at the moment. */
export interface RaisedAlarm {
  /** UNIX milliseconds. */
  readonly since: number;
  /** Accounts with a token called dead, of so many that were heard of, when it was raised. */
  readonly dead: number;
  readonly answers: number;
  readonly lastDeadAt: number;
}

/** What has been heard of the tokens of one app lately. */
export interface AppWatch {
  readonly chunks: readonly Chunk[];
  readonly alarm: RaisedAlarm | null;
}

export const nothingHeard: AppWatch = { chunks: [], alarm: null };

/** One more answer was heard; raises the alarm or lifts it. */
export function heardOfToken(before: AppWatch, heard: AccountNews, now: number): AppWatch {
  const watch = watchAt(before, now);
  const chunks = withNews(watch.chunks, heard, now);
  // Most news is this, and it raises no alarm: the counts need not be made.
  if (watch.alarm === null && heard.news === 'alive') return { chunks, alarm: null };
  const counts = countsOf(chunks);
  if (watch.alarm === null) {
    if (!exceeds(counts, 1)) return { chunks, alarm: null };
    const { dead, answers } = counts;
    return { chunks, alarm: { since: now, dead, answers, lastDeadAt: now } };
  }
  if (heard.news !== 'alive') return { chunks, alarm: { ...watch.alarm, lastDeadAt: now } };
  const isNormal = counts.answers >= LEAST_TO_LIFT && !exceeds(counts, LIFTING_PART);
  return { chunks, alarm: isNormal ? null : watch.alarm };
}

/** The watch as it is by now: old answers are forgotten, and a calm alarm is lifted. */
export function watchAt({ chunks, alarm }: AppWatch, now: number): AppWatch {
  const isCalm = alarm !== null && now - alarm.lastDeadAt >= CALM_MS;
  const isOld = chunks[0] !== undefined && now - chunks[0].since >= WINDOW_MS;
  return {
    chunks: isOld ? chunks.filter(({ since }) => now - since < WINDOW_MS) : chunks,
    alarm: isCalm ? null : alarm,
  };
}

function withNews(chunks: readonly Chunk[], heard: AccountNews, now: number): readonly Chunk[] {
  if (chunks.some((chunk) => chunk.heard.some((one) => isSame(one, heard)))) return chunks;
  const last = chunks.at(-1);
  if (last === undefined || last.heard.length >= CHUNK_SIZE) {
    return [...chunks.slice(1 - MOST_CHUNKS), { since: now, heard: [heard] }];
  }
  return [...chunks.slice(0, -1), { since: last.since, heard: [...last.heard, heard] }];
}

const isSame = (one: AccountNews, other: AccountNews): boolean =>
  one.userId === other.userId && one.news === other.news;

function countsOf(chunks: readonly Chunk[]): Counts {
  const heard = chunks.flatMap((chunk) => chunk.heard);
  const withNewsOf = (...news: readonly TokenNews[]): number =>
    new Set(heard.filter((one) => news.includes(one.news)).map(({ userId }) => userId)).size;
  const dead = withNewsOf('dead', 'suspect');
  return { answers: withNewsOf('alive') + dead, dead, suspect: withNewsOf('suspect') };
}

function exceeds(counts: Counts, part: number): boolean {
  return (['suspect', 'dead'] as const).some((kind) => {
    const { least, share } = LIMITS[kind];
    return counts[kind] >= least * part && counts[kind] >= counts.answers * share * part;
  });
}
