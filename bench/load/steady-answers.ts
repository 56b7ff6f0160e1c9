import { gunzipSync } from 'node:zlib';
import type { Answer } from './http-connection.js';
import { readPollAnswer } from './presence-answer.rules.js';

/** The expected response to a poll. */
interface ExpectedAnswer {
  readonly cursor: number;
  /** The approximate bounds of the number of entries. */
  readonly fewest: number;
  readonly most: number;
}

/** One of this many responses is decompressed and read; only the status and the length of the others are checked. */
const ANSWERS_PER_READING = 16;

/** This share of the entries may be missing, because some users are refreshed late. */
const MISSING_PART = 0.05;

/** This share of the entries may be repeated. */
const REPEATED_PART = 0.15;

/** Every response without entries is shorter. */
const EMPTY_BYTES = 300;

/** Checks the responses of one server to similar polls. */
export class SteadyAnswers {
  #checked = 0;
  #bytesOfLastRead = 0;
  #read = { answers: 0, entries: 0, bytes: 0 };

  /** The average of the responses that were read. */
  get average(): { readonly entries: number; readonly bytes: number } {
    const { answers, entries, bytes } = this.#read;
    return { entries: entries / answers, bytes: bytes / answers };
  }

  isEmpty({ body }: Answer): boolean {
    return body.length < EMPTY_BYTES;
  }

  /** Whether the checked part of a response is right; `now` is in UNIX milliseconds. */
  isRight(answer: Answer, expected: ExpectedAnswer, now: number): boolean {
    this.#checked += 1;
    if (answer.status !== 200) return false;
    if (this.#checked % ANSWERS_PER_READING === 1) return this.#readWhole(answer, expected, now);
    return answer.body.length > this.#bytesOfLastRead / 2;
  }

  #readWhole({ status, body, isGzip }: Answer, expected: ExpectedAnswer, now: number) {
    const text = isGzip ? inflate(body) : body;
    const result = readPollAnswer({ status, body: text }, expected.cursor, now / 1000);
    if (result === null) return false;
    const count = result.users.length;
    this.#bytesOfLastRead = body.length;
    this.#read.answers += 1;
    this.#read.entries += count;
    this.#read.bytes += body.length;
    return (
      count >= expected.fewest * (1 - MISSING_PART) && count <= expected.most * (1 + REPEATED_PART)
    );
  }
}

/** Empty, which is a wrong response, if decompression fails. */
function inflate(body: string): string {
  try {
    return gunzipSync(Buffer.from(body, 'latin1')).toString();
  } catch {
    return '';
  }
}
