import { Injectable } from '@nestjs/common';
import { WakeDeliveries } from '../accept/wake-deliveries.js';
import { type DeadLetterChoice, demandsOf } from './dead-letter-choice.js';
import { DeadLetterRepository } from './dead-letter.repository.js';

/** A storm of letters is put back piece by piece, each piece in one statement. */
const PER_STATEMENT = 500;

/** Sends again what providers have refused: for when what was at fault has been mended. */
@Injectable()
export class RequeueDeadLetters {
  constructor(
    private readonly letters: DeadLetterRepository,
    private readonly wake: WakeDeliveries,
  ) {}

  /**
   * Makes letters deliveries again: with no attempt made, due now, with a time to live that begins anew.
   * Resolves with how many were put back. A notification that the ledger has forgotten comes back from its
   * copy in the letter; a device that is gone is found to be so when it is its turn.
   *
   * Broken off it has put back some, and may be repeated.
   */
  async execute(choice: DeadLetterChoice): Promise<number> {
    // What is refused again meanwhile is not put back a second time.
    const filter = { ...demandsOf(choice), until: await this.letters.now() };
    let requeued = 0;
    for (;;) {
      const accepted = await this.letters.requeue(filter, PER_STATEMENT);
      if (accepted.length === 0) return requeued;
      await this.wake.execute(accepted);
      requeued += accepted.reduce((sum, { deviceIds }) => sum + deviceIds.length, 0);
    }
  }
}
