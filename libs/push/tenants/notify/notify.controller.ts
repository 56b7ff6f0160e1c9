import { Controller } from '@nestjs/common';
import { Endpoint, Parameters, type ParametersOf, SignedInServer } from '#platform/http';
import type { RemoteServer } from '../servers/tenant.repository.js';
import { EncryptedNotifyService } from './encrypted-notify.service.js';
import { notifyAccount, notifyEncrypted, testRemoteDevice } from './notify.schema.js';
import { NotifyService } from './notify.service.js';

@Controller()
export class RemoteNotifyController {
  constructor(
    private readonly accounts: NotifyService,
    private readonly encrypted: EncryptedNotifyService,
  ) {}

  @Endpoint(notifyAccount)
  notify(
    @SignedInServer() server: RemoteServer,
    @Parameters() { request }: ParametersOf<typeof notifyAccount>,
  ) {
    return this.accounts.notify(server, request);
  }

  @Endpoint(testRemoteDevice)
  async test(
    @SignedInServer() server: RemoteServer,
    @Parameters() { request }: ParametersOf<typeof testRemoteDevice>,
  ) {
    await this.accounts.test(server, request);
  }

  @Endpoint(notifyEncrypted)
  notifyEncrypted(
    @SignedInServer() server: RemoteServer,
    @Parameters() { request }: ParametersOf<typeof notifyEncrypted>,
  ) {
    return this.encrypted.notify(server, request.realm_uuid, request.push_requests);
  }
}
