import { gunzipSync } from 'node:zlib';
import type { Answer } from './http-connection.js';
import { readPollAnswer } from './presence-answer.rules.js';

/** What is expected of the answer to a poll. */
export interface ExpectedAnswer {
  readonly cursor: number;
  /** How many entries it has, about. */
  readonly fewest: number;
  readonly most: number;
}

/** One answer in so many is inflated and read; of the others only the status and the length are looked at. */
const ANSWERS_PER_READING = 16;

/** A part of this many entries may be missing: users whose refresh has come a little late. */
const MISSING_PART = 0.05;

/** More entries may be there than were expected: some are told again. */
const REPEATED_PART = 0.15;

/** An answer without entries is shorter than this. */
const EMPTY_BYTES = 300;

/** Looks at the answers of one server to polls that are all alike. */
export class SteadyAnswers {
  #looked = 0;
  #bytesOfLastRead = 0;
  #read = { answers: 0, entries: 0, bytes: 0 };

  /** What the answers that were read had, on average. */
  get average(): { readonly entries: number; readonly bytes: number } {
    const { answers, entries, bytes } = this.#read;
    return { entries: entries / answers, bytes: bytes / answers };
  }

  isEmpty({ body }: Answer): boolean {
    return body.length < EMPTY_BYTES;
  }

  /** Whether an answer is right, as far as that is looked at; `now` in UNIX milliseconds. */
  isRight(answer: Answer, expected: ExpectedAnswer, now: number): boolean {
    this.#looked += 1;
    if (answer.status !== 200) return false;
    if (this.#looked % ANSWERS_PER_READING === 1) return this.#readWhole(answer, expected, now);
    return answer.body.length > this.#bytesOfLastRead / 2;
  }

  #readWhole({ status, body, isGzip }: Answer, expected: ExpectedAnswer, now: number) {
    const text = isGzip ? inflate(body) : body;
    const told = readPollAnswer({ status, body: text }, expected.cursor, now / 1000);
    if (told === null) return false;
    const count = told.users.length;
    this.#bytesOfLastRead = body.length;
    this.#read.answers += 1;
    this.#read.entries += count;
    this.#read.bytes += body.length;
    return (
      count >= expected.fewest * (1 - MISSING_PART) && count <= expected.most * (1 + REPEATED_PART)
    );
  }
}

/** Empty, and so wrong, when it cannot be inflated. */
function inflate(body: string): string {
  try {
    return gunzipSync(Buffer.from(body, 'latin1')).toString();
  } catch {
    return '';
  }
}
