import { Module } from '@nestjs/common';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';
import { Once } from './once.js';

/** Requests that must not be carried out twice; needs DatabaseModule. */
@Module({
  providers: [IdempotencyKeyRepository, Once],
  exports: [IdempotencyKeyRepository, Once],
})
export class IdempotencyModule {}
