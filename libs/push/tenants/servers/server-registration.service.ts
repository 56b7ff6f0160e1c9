import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type RemoteCaller, requestErrors } from '#platform/contracts';
import { networkOf } from '#platform/core';
import { RateLimits } from '#platform/rate-limits';
import { PushRevocations } from '#push/revocations';
import { TENANT_OPTIONS, type TenantOptions } from '../tenant-options.js';
import { tenantErrors } from '../tenants.errors.js';
import { refuseWithoutMail } from './contact-check.js';
import { isCanonicalV4 } from './tenant-credentials.rules.js';
import { isKeyOf, type Tenant, TenantRepository } from './tenant.repository.js';
import { contactDomainIn, hostnameIn } from './server-registration.rules.js';

/** A registration is read again when another one of the same server was stored meanwhile. */
const MAX_ATTEMPTS = 3;

/** A registration, as a server sends it. */
interface ServerRegistration {
  readonly uuid: string;
  readonly key: string;
  readonly newKey: string | undefined;
  readonly hostname: string;
  readonly contactEmail: string;
  /** The address that it comes from. */
  readonly address: string;
}

/** The registration of servers, and its end. */
@Injectable()
export class ServerRegistrationService {
  constructor(
    private readonly servers: TenantRepository,
    private readonly limits: RateLimits,
    private readonly revocations: PushRevocations,
    @Inject(TENANT_OPTIONS) private readonly options: TenantOptions,
  ) {}

  /** Registers a server or changes its registration; resolves with true for a new one. Rejects with ApiError. */
  async register(registration: ServerRegistration): Promise<boolean> {
    const hostname = hostnameIn(registration.hostname);
    const domain = contactDomainIn(registration.contactEmail);
    if (this.options.checksContacts) await refuseWithoutMail(domain);
    if (!isCanonicalV4(registration.uuid)) throw new ApiError(tenantErrors.invalidUuid);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const created = await this.#store({ ...registration, hostname });
      if (created !== null) return created;
    }
    throw new ApiError(requestErrors.temporarilyUnavailable);
  }

  /** Ends the registration for good, and revokes what the server sent and is not delivered yet. */
  async deactivate({ serverId }: RemoteCaller): Promise<void> {
    await this.servers.deactivate(serverId);
    await this.revocations.revokeSender('server', serverId);
  }

  /** Null when another request has changed the registration meanwhile. */
  async #store(registration: ServerRegistration): Promise<boolean | null> {
    const { uuid, key, newKey: wanted, hostname, contactEmail, address } = registration;
    const stored = { uuid, key: wanted ?? key, hostname, contactEmail };
    const known = await this.servers.find(uuid);
    if (known !== null) {
      refuseForeign(known, key);
      const result = await this.servers.change(known, stored);
      if (result === 'taken') throw hostnameInUse(hostname);
      return result === 'changed' ? false : null;
    }
    if ((await this.servers.findByHostname(hostname)) !== null) throw hostnameInUse(hostname);
    if (!this.options.isOpen) throw new ApiError(tenantErrors.registrationClosed);
    const network = networkOf(address);
    await this.limits.charge('new-server', network);
    return (await this.servers.add(stored, network)) ? true : null;
  }
}

const hostnameInUse = (hostname: string): ApiError =>
  new ApiError(tenantErrors.hostnameInUse, { hostname }, { hostname });

function refuseForeign(known: Tenant, key: string): void {
  const { uuid } = known;
  if (!isKeyOf(known, key)) {
    throw new ApiError(tenantErrors.registeredWithOtherKey, { id: uuid }, { role: uuid });
  }
  if (known.isDeactivated) throw new ApiError(tenantErrors.registrationDeactivated);
}
