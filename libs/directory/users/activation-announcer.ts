import { Inject, Injectable } from '@nestjs/common';
import {
  AuthVersionStore,
  type AccountVersion,
  DEVICE_REVOKER,
  type DeviceRevoker,
} from '#directory/auth';

/** Announces committed changes of accounts to all gateways and push workers. Never rejects. */
@Injectable()
export class ActivationAnnouncer {
  constructor(
    private readonly versions: AuthVersionStore,
    @Inject(DEVICE_REVOKER) private readonly devices: DeviceRevoker,
  ) {}

  /** When it resolves, every gateway refuses the accounts, and their phones get nothing more. */
  async deactivated(changed: readonly AccountVersion[]): Promise<void> {
    const userIds = changed.map(({ userId }) => userId);
    await Promise.all([this.versions.raiseAll(changed), this.devices.stopDeliveries(userIds)]);
  }

  /** When it resolves, every gateway admits the accounts. */
  async reactivated(changed: readonly AccountVersion[]): Promise<void> {
    await this.versions.raiseAll(changed);
  }
}
