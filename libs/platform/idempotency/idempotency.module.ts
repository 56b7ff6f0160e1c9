import { Module } from '@nestjs/common';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';
import { IdempotencyKeyTrimmer } from './idempotency-key-trimmer.js';
import { IdempotentExecutor } from './idempotent-executor.js';

/** Idempotent requests; needs DatabaseModule and LimitsModule. */
@Module({
  providers: [IdempotencyKeyRepository, IdempotencyKeyTrimmer, IdempotentExecutor],
  exports: [IdempotencyKeyRepository, IdempotencyKeyTrimmer, IdempotentExecutor],
})
export class IdempotencyModule {}
