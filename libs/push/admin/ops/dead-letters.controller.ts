import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import {
  type DeadLetterChoice,
  type DeadLetterKey,
  parseDeadLetterId,
} from '../dead-letter.rules.js';
import { PushLedgerService } from '../push-ledger.service.js';
import { PushOperatorService } from '../push-operator.service.js';
import { limitedNumber, OpsController } from './ops-controller.js';

const MAX_LISTED = 200;
const MAX_IDS = 1000;
const ONE_OF_THREE = 'expected exactly one of ids, reason and all=true';

/** The query of the list. */
const listedLetters = z.strictObject({
  reason: z.string().min(1).optional(),
  limit: limitedNumber(MAX_LISTED).default(50),
});
type ListedLetters = z.infer<typeof listedLetters>;

const keyOf = (id: string, context: z.RefinementCtx): DeadLetterKey => {
  const key = parseDeadLetterId(id);
  if (key !== null) return key;
  context.addIssue({
    code: 'custom',
    message: `"${id}" is no id of a dead letter: expected <notification>/<device>, or <notification>`,
  });
  return z.NEVER;
};

const ids = z
  .string()
  .transform((text) => text.split(',').map((id) => id.trim()))
  .pipe(z.array(z.string().transform(keyOf)).max(MAX_IDS));

/** The chosen dead letters: a form with `ids` (comma-separated), or `reason`, or `all=true`. */
const chosenLetters = z
  .strictObject(
    {
      ids: ids.optional(),
      reason: z.string().min(1).optional(),
      all: z.literal('true', { error: 'expected true' }).optional(),
    },
    { error: ({ code }) => (code === 'invalid_type' ? ONE_OF_THREE : undefined) },
  )
  .transform((given, context): DeadLetterChoice => {
    const choices = [
      given.ids && { ids: given.ids },
      given.reason === undefined ? undefined : { reason: given.reason },
      given.all && { all: true as const },
    ].filter((choice) => choice !== undefined);
    const [choice, ...others] = choices;
    if (choice !== undefined && others.length === 0) return choice;
    context.addIssue({ code: 'custom', message: ONE_OF_THREE });
    return z.NEVER;
  });

/** Lists, requeues and dismisses dead letters. */
@OpsController('ops/api/dead-letters')
export class DeadLettersController {
  constructor(
    private readonly ledger: PushLedgerService,
    private readonly operator: PushOperatorService,
  ) {}

  @Get()
  async list(@Query({ schema: listedLetters }) query: ListedLetters) {
    const letters = await this.ledger.listDeadLetters(query);
    return {
      deadLetters: letters.map(({ createdAt, ...letter }) => ({
        ...letter,
        createdAt: +createdAt,
      })),
    };
  }

  @Post('requeue')
  @HttpCode(200)
  async requeue(@Body({ schema: chosenLetters }) choice: DeadLetterChoice) {
    return { requeued: await this.operator.requeueDeadLetters(choice) };
  }

  @Post('dismiss')
  @HttpCode(200)
  async dismiss(@Body({ schema: chosenLetters }) choice: DeadLetterChoice) {
    return { dismissed: await this.ledger.dismissDeadLetters(choice) };
  }
}
