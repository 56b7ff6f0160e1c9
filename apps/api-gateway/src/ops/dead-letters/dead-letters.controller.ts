import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { type DeadLetterChoice, DeadLetters, DismissDeadLetters, RequeueDeadLetters } from '#push';
import { OpsController } from '../ops-controller.js';
import { chosenLetters, type ListedLetters, listedLetters } from './dead-letters.request.js';

/** What providers have refused for its message's sake, and what becomes of it. */
@OpsController('ops/api/dead-letters')
export class DeadLettersController {
  constructor(
    private readonly deadLetters: DeadLetters,
    private readonly requeueDeadLetters: RequeueDeadLetters,
    private readonly dismissDeadLetters: DismissDeadLetters,
  ) {}

  @Get()
  async list(@Query({ schema: listedLetters }) { reason, limit }: ListedLetters) {
    const letters = await this.deadLetters.list({ limit, ...(reason !== undefined && { reason }) });
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
    return { requeued: await this.requeueDeadLetters.execute(choice) };
  }

  @Post('dismiss')
  @HttpCode(200)
  async dismiss(@Body({ schema: chosenLetters }) choice: DeadLetterChoice) {
    return { dismissed: await this.dismissDeadLetters.execute(choice) };
  }
}
