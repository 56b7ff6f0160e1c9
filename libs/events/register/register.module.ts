import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventLogModule } from '#events/log';
import { QueuesModule } from '#events/queues';
import { ConstantState } from './constant-state.js';
import { RegisterService } from './register.service.js';
import { SharedStates } from './shared-states.js';
import { SnapshotRepository } from './snapshot.repository.js';

/** The registration of event queues; needs DatabaseModule, RedisModule and LimitsModule. */
@Module({
  imports: [DiscoveryModule, EventLogModule, QueuesModule],
  providers: [ConstantState, RegisterService, SharedStates, SnapshotRepository],
  exports: [RegisterService],
})
export class RegisterModule {}
