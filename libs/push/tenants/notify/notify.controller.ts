import { Controller } from '@nestjs/common';
import { Endpoint, Parameters, type ParametersOf, SignedInServer } from '#platform/http';
import type { Tenant } from '../servers/tenant.repository.js';
import { EncryptedNotifyService } from './encrypted-notify.service.js';
import { notifyAccount, notifyEncrypted, testTenantDevice } from './notify.schema.js';
import { NotifyService } from './notify.service.js';

@Controller()
export class TenantNotifyController {
  constructor(
    private readonly accounts: NotifyService,
    private readonly encrypted: EncryptedNotifyService,
  ) {}

  @Endpoint(notifyAccount)
  notify(
    @SignedInServer() server: Tenant,
    @Parameters() { request }: ParametersOf<typeof notifyAccount>,
  ) {
    return this.accounts.notify(server, request);
  }

  @Endpoint(testTenantDevice)
  async test(
    @SignedInServer() server: Tenant,
    @Parameters() { request }: ParametersOf<typeof testTenantDevice>,
  ) {
    await this.accounts.test(server, request);
  }

  @Endpoint(notifyEncrypted)
  notifyEncrypted(
    @SignedInServer() server: Tenant,
    @Parameters() { request }: ParametersOf<typeof notifyEncrypted>,
  ) {
    return this.encrypted.notify(server, request.realm_uuid, request.push_requests);
  }
}
