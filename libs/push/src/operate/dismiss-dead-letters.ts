import { Injectable } from '@nestjs/common';
import { type DeadLetterChoice, demandsOf } from './dead-letter-choice.js';
import { DeadLetterRepository } from './dead-letter.repository.js';

const PER_STATEMENT = 5000;

/** Throws letters away that nobody will send again. The ledger still says that they were refused. */
@Injectable()
export class DismissDeadLetters {
  constructor(private readonly letters: DeadLetterRepository) {}

  /** Resolves with how many were removed. */
  async execute(choice: DeadLetterChoice): Promise<number> {
    const filter = { ...demandsOf(choice), until: await this.letters.now() };
    let dismissed = 0;
    for (;;) {
      const gone = await this.letters.dismiss(filter, PER_STATEMENT);
      dismissed += gone;
      if (gone < PER_STATEMENT) return dismissed;
    }
  }
}
