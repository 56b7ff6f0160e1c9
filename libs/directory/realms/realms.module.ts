import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { RealmRepository } from './realm.repository.js';
import { RealmsService } from './realms.service.js';

/** Organisations; needs DatabaseModule. */
@Module({
  imports: [EventLogModule],
  providers: [RealmRepository, RealmsService],
  exports: [RealmRepository, RealmsService],
})
export class RealmsModule {}
