/** What an answer says of its token: alive; dead; or dead, which may as well be our own fault. */
export type TokenNews = 'alive' | 'dead' | 'suspect';

const WINDOW_MS = 300_000;
/**
 * And no more than two hundred answers: by the time that a wrong topic shows in the share of five busy
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
  readonly answers: number;
  /** Dead in either way. */
  readonly dead: number;
  readonly suspect: number;
}

type Counts = Omit<Chunk, 'since'>;

/** Why no token of an app is removed at the moment. */
export interface RaisedAlarm {
  /** UNIX milliseconds. */
  readonly since: number;
  /** Tokens called dead, of so many answers, when it was raised. */
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
export function heardOfToken(before: AppWatch, news: TokenNews, now: number): AppWatch {
  const watch = watchAt(before, now);
  const chunks = withNews(watch.chunks, news, now);
  const counts = sumOf(chunks);
  if (watch.alarm === null) {
    if (!exceeds(counts, 1)) return { chunks, alarm: null };
    const { dead, answers } = counts;
    return { chunks, alarm: { since: now, dead, answers, lastDeadAt: now } };
  }
  if (news !== 'alive') return { chunks, alarm: { ...watch.alarm, lastDeadAt: now } };
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

function withNews(chunks: readonly Chunk[], news: TokenNews, now: number): readonly Chunk[] {
  const last = chunks.at(-1);
  const isFull = last === undefined || last.answers >= CHUNK_SIZE;
  const chunk = isFull ? { since: now, answers: 0, dead: 0, suspect: 0 } : last;
  const counted = {
    since: chunk.since,
    answers: chunk.answers + 1,
    dead: chunk.dead + (news === 'alive' ? 0 : 1),
    suspect: chunk.suspect + (news === 'suspect' ? 1 : 0),
  };
  return isFull ? [...chunks.slice(1 - MOST_CHUNKS), counted] : [...chunks.slice(0, -1), counted];
}

const sumOf = (chunks: readonly Chunk[]): Counts => ({
  answers: chunks.reduce((sum, { answers }) => sum + answers, 0),
  dead: chunks.reduce((sum, { dead }) => sum + dead, 0),
  suspect: chunks.reduce((sum, { suspect }) => sum + suspect, 0),
});

function exceeds(counts: Counts, part: number): boolean {
  return (['suspect', 'dead'] as const).some((kind) => {
    const { least, share } = LIMITS[kind];
    return counts[kind] >= least * part && counts[kind] >= counts.answers * share * part;
  });
}
