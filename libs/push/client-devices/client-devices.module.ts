import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { DeviceRepository, PlainTextDevices } from '#push/devices';
import { PushRevocationsModule } from '#push/revocations';
import { ClientDeviceEvents } from './client-devices.events.js';
import { ClientDeviceRepository } from './client-device.repository.js';
import { ClientDevicesService } from './client-devices.service.js';
import { DeviceKeys } from './device-keys.js';
import { DeviceRegistrationJob } from './device-registration.job.js';
import { PushRegistrationService } from './push-registration.service.js';
import { RegistrationAnswers } from './registration-answers.js';
import { RelayedEncryptedTestService } from './relayed-encrypted-test.service.js';
import { TokenRequests } from './token-requests.js';
import { TokenRequestRepository } from './token-request.repository.js';

/** The client devices of accounts; needs DatabaseModule and PushServiceModule. */
@Module({
  imports: [EventLogModule],
  providers: [ClientDeviceEvents, ClientDeviceRepository, ClientDevicesService],
  exports: [ClientDeviceEvents, ClientDeviceRepository, ClientDevicesService],
})
export class ClientDevicesModule {}

/** The registration of client devices by apps; needs PushServiceModule and QueueModule. */
@Module({
  imports: [ClientDevicesModule, PushRevocationsModule],
  providers: [
    DeviceKeys,
    PushRegistrationService,
    RelayedEncryptedTestService,
    TokenRequests,
    TokenRequestRepository,
  ],
  exports: [
    ClientDevicesModule,
    PushRegistrationService,
    PushRevocationsModule,
    RelayedEncryptedTestService,
  ],
})
export class PushRegistrationModule {}

/** The registration of client devices at the push service, in the worker; needs PushServiceModule and QueueModule. */
@Module({
  imports: [ClientDevicesModule],
  providers: [
    DeviceKeys,
    DeviceRegistrationJob,
    DeviceRepository,
    PlainTextDevices,
    RegistrationAnswers,
    TokenRequests,
    TokenRequestRepository,
  ],
  exports: [
    ClientDevicesModule,
    DeviceKeys,
    DeviceRegistrationJob,
    DeviceRepository,
    TokenRequests,
  ],
})
export class DeviceRegistrationModule {}
