import { Injectable } from '@nestjs/common';
import {
  type DeadLetter,
  type DeadLetterCount,
  DeadLetterRepository,
} from './dead-letter.repository.js';

/** Shows what providers have refused for its message's sake, which is kept until somebody decides or `PUSH_DEAD_LETTER_DAYS` are over. */
@Injectable()
export class DeadLetters {
  constructor(private readonly letters: DeadLetterRepository) {}

  /** The newest `limit` letters; those of one reason, where one is given. */
  async list({ reason, limit }: { reason?: string; limit: number }): Promise<DeadLetter[]> {
    return this.letters.list(reason ?? null, limit);
  }

  /** How many letters there are of each reason, the most frequent first. */
  async countByReason(): Promise<DeadLetterCount[]> {
    return this.letters.countByReason();
  }
}
