import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { DeviceRepository } from '../plain/device.repository.js';
import { PlainTextDevices } from '../plain/plain-text-devices.js';
import { PushRevocationsModule } from '#push/revocations';
import { ClientDeviceEvents } from './client-devices.events.js';
import { ClientDeviceRepository } from './client-device.repository.js';
import { ClientDevicesService } from './client-devices.service.js';
import { DeviceKeys } from './device-keys.js';
import { DeviceRegistrationJob } from './device-registration.job.js';
import { NewestRegistrations } from './newest-registrations.js';
import { PushRegistrationService } from './push-registration.service.js';
import { RegistrationAnswers } from './registration-answers.js';
import { TokenRequests } from './token-requests.js';
import { TokenRequestRepository } from './token-request.repository.js';

/** The client devices of accounts; needs DatabaseModule and PushServiceModule. */
@Module({
  imports: [EventLogModule],
  providers: [
    ClientDeviceEvents,
    ClientDeviceRepository,
    ClientDevicesService,
    NewestRegistrations,
    TokenRequestRepository,
  ],
  exports: [
    ClientDeviceEvents,
    ClientDeviceRepository,
    ClientDevicesService,
    NewestRegistrations,
    TokenRequestRepository,
  ],
})
export class ClientDevicesModule {}

/** The registration of client devices by apps; needs PushServiceModule and QueueModule. */
@Module({
  imports: [ClientDevicesModule, PushRevocationsModule],
  providers: [DeviceKeys, PushRegistrationService, TokenRequests],
  exports: [ClientDevicesModule, DeviceKeys, PushRegistrationService, PushRevocationsModule],
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
