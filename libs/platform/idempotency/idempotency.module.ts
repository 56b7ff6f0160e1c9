import { Module } from '@nestjs/common';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';
import { IdempotentExecutor } from './idempotent-executor.js';

/** Idempotent requests; needs DatabaseModule. */
@Module({
  providers: [IdempotencyKeyRepository, IdempotentExecutor],
  exports: [IdempotencyKeyRepository, IdempotentExecutor],
})
export class IdempotencyModule {}
