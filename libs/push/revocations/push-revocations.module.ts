import { Module } from '@nestjs/common';
import { PushRevocations } from './push-revocations.js';

/** Notifies the workers of revoked pushes; needs QueueModule and RedisModule. */
@Module({ providers: [PushRevocations], exports: [PushRevocations] })
export class PushRevocationsModule {}
