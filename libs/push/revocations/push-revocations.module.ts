import { Module } from '@nestjs/common';
import { PushRevocations } from './push-revocations.js';

/** The announcement of revoked pushes to the workers; needs QueueModule. */
@Module({ providers: [PushRevocations], exports: [PushRevocations] })
export class PushRevocationsModule {}
