import { Module } from '@nestjs/common';
import { RealmRepository } from './realm.repository.js';
import { RealmsService } from './realms.service.js';

/** Organisations; needs DatabaseModule. */
@Module({
  providers: [RealmRepository, RealmsService],
  exports: [RealmRepository, RealmsService],
})
export class RealmsModule {}
