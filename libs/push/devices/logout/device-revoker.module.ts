import { Module } from '@nestjs/common';
import { DEVICE_REVOKER } from '#directory/auth';
import { PushRevocationsModule } from '#push/revocations';
import { PushDeviceRevoker } from './push-device-revoker.js';

/** The DEVICE_REVOKER of an operator; needs QueueModule and RedisModule. */
@Module({
  imports: [PushRevocationsModule],
  providers: [{ provide: DEVICE_REVOKER, useClass: PushDeviceRevoker }],
  exports: [DEVICE_REVOKER],
})
export class DeviceRevokerModule {}
