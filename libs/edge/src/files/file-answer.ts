import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.rules.js';

interface AnsweredFile {
  readonly sizeBytes: number;
  /** Beside the length, which the edge adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes, or some of them. Called once at most, and not for a HEAD. */
  readonly open: (range: ByteRange | null) => Promise<Readable>;
}

/** What an endpoint that `returns: 'file'` answers: the bytes alone, without the envelope. */
export class FileAnswer {
  constructor(readonly file: AnsweredFile) {}
}
