/** The state of a token after an answer; `suspect`: dead, or our own configuration is wrong. */
export type TokenState = 'alive' | 'dead' | 'suspect';

/** The state of a token, and the account that it counts for. */
interface TokenAnswer {
  readonly ownerId: number;
  readonly state: TokenState;
}

const WINDOW_MS = 300_000;
/**
 * At most two hundred answers are kept: in the share of five busy minutes a wrong topic would show too late, after
 * thousands of tokens were removed.
 */
const CHUNK_SIZE = 20;
const MAX_CHUNKS = 10;

/**
 * A wrong topic, project or environment makes every token suspect, and hardly anything else makes many. An
 * unregistered token is not a sign of a wrong configuration: the limits for dead tokens are far higher.
 */
const LIMITS = {
  suspect: { least: 10, share: 0.5 },
  dead: { least: 100, share: 0.8 },
} as const;
/**
 * The limits of an installation with few accounts, which never reaches those above. So few accounts raise the alarm only
 * while no token is alive. The first token that is alive lifts it: it proves that the configuration is right.
 */
const FEW = { least: 3, most: LIMITS.suspect.least - 1 } as const;
/** An alarm is lifted well below the limit that raises it, so that it does not flap. */
const LIFTING_FACTOR = 0.5;
const MIN_TO_LIFT = 10;
const CALM_MS = 1_800_000;

interface Chunk {
  /** UNIX milliseconds. */
  readonly since: number;
  /** The same state of an account only once in all chunks. */
  readonly answers: readonly TokenAnswer[];
}

interface Counts {
  readonly answers: number;
  readonly alive: number;
  /** Dead in either way. */
  readonly dead: number;
  readonly suspect: number;
}

/** Why no token of an app is removed at the moment. */
export interface RaisedAlarm {
  /** UNIX milliseconds. */
  readonly since: number;
  /** The number of accounts with a dead token when the alarm was raised. */
  readonly dead: number;
  /** The number of accounts with an answer then; one with a living and a dead token counts twice. */
  readonly answers: number;
  /** When the last token was reported dead, in UNIX milliseconds. */
  readonly lastDeadAt: number;
}

/** The recent answers about the tokens of one app. */
export interface AppHistory {
  readonly chunks: readonly Chunk[];
  readonly alarm: RaisedAlarm | null;
}

/** The history of a new app. */
export const emptyHistory: AppHistory = { chunks: [], alarm: null };

/** Adds an answer, and raises or lifts the alarm. */
export function addTokenAnswer(before: AppHistory, answer: TokenAnswer, now: number): AppHistory {
  const history = historyAt(before, now);
  const chunks = added(history.chunks, answer, now);
  // The most frequent case raises no alarm: counting is skipped.
  if (history.alarm === null && answer.state === 'alive') return { chunks, alarm: null };
  const counts = countsOf(chunks);
  if (history.alarm === null) {
    if (!exceeds(counts, 1) && !isFewWithoutAlive(counts)) return { chunks, alarm: null };
    const { dead, answers } = counts;
    return { chunks, alarm: { since: now, dead, answers, lastDeadAt: now } };
  }
  if (answer.state !== 'alive') return { chunks, alarm: { ...history.alarm, lastDeadAt: now } };
  const isOfFew = history.alarm.dead <= FEW.most;
  const isNormal = isOfFew || (counts.answers >= MIN_TO_LIFT && !exceeds(counts, LIFTING_FACTOR));
  return { chunks, alarm: isNormal ? null : history.alarm };
}

/** The history at this time: without old answers and without an alarm that is over. */
export function historyAt({ chunks, alarm }: AppHistory, now: number): AppHistory {
  const isCalm = alarm !== null && now - alarm.lastDeadAt >= CALM_MS;
  const isOld = chunks[0] !== undefined && now - chunks[0].since >= WINDOW_MS;
  return {
    chunks: isOld ? chunks.filter(({ since }) => now - since < WINDOW_MS) : chunks,
    alarm: isCalm ? null : alarm,
  };
}

function added(chunks: readonly Chunk[], answer: TokenAnswer, now: number): readonly Chunk[] {
  if (chunks.some((chunk) => chunk.answers.some((one) => isSame(one, answer)))) return chunks;
  const last = chunks.at(-1);
  if (last === undefined || last.answers.length >= CHUNK_SIZE) {
    return [...chunks.slice(1 - MAX_CHUNKS), { since: now, answers: [answer] }];
  }
  return [...chunks.slice(0, -1), { since: last.since, answers: [...last.answers, answer] }];
}

const isSame = (one: TokenAnswer, other: TokenAnswer): boolean =>
  one.ownerId === other.ownerId && one.state === other.state;

function countsOf(chunks: readonly Chunk[]): Counts {
  const answers = chunks.flatMap((chunk) => chunk.answers);
  const ownersWith = (...states: readonly TokenState[]): number =>
    new Set(answers.filter((one) => states.includes(one.state)).map(({ ownerId }) => ownerId)).size;
  const [alive, dead] = [ownersWith('alive'), ownersWith('dead', 'suspect')];
  return { answers: alive + dead, alive, dead, suspect: ownersWith('suspect') };
}

const isFewWithoutAlive = ({ alive, dead, suspect }: Counts): boolean =>
  alive === 0 && suspect >= FEW.least && dead <= FEW.most;

function exceeds(counts: Counts, factor: number): boolean {
  return (['suspect', 'dead'] as const).some((kind) => {
    const { least, share } = LIMITS[kind];
    return counts[kind] >= least * factor && counts[kind] >= counts.answers * share * factor;
  });
}
