import { randomInt } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { ApiError, normalizedHost, requestErrors } from '#platform/contracts';
import { type Clock, deriveKey, networkOf, systemClock } from '#platform/core';
import { RateLimits } from '#platform/rate-limits';
import { PUSH_KEY_SECRET } from '#push/tokens';
import { TENANT_OPTIONS, type TenantOptions } from '../tenant-options.js';
import { tenantErrors } from '../tenants.errors.js';
import { HostVerifier } from './host-verifier.js';
import { TenantRepository } from './tenant.repository.js';
import { hostSecretFault, makeHostSecret } from './server-registration.rules.js';

const KEY_LENGTH = 64;
const KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const PURPOSE = 'transfers of remote servers';

/** The request that ends a transfer. */
interface TransferEnd {
  readonly hostname: string;
  /** Under which the host serves the secret. */
  readonly accessToken: string;
  /** The address that the request comes from. */
  readonly address: string;
}

/** The transfer of a registration to a server that has lost its key. */
@Injectable()
export class ServerTransferService {
  readonly #secretKey: Buffer | null;

  constructor(
    private readonly servers: TenantRepository,
    private readonly verifier: HostVerifier,
    private readonly limits: RateLimits,
    @Inject(TENANT_OPTIONS) private readonly options: TenantOptions,
    @Inject(PUSH_KEY_SECRET) secret: Buffer | null,
    @Optional() private readonly clock: Clock = systemClock,
  ) {
    this.#secretKey = secret === null ? null : deriveKey(secret, PURPOSE);
  }

  /** The secret with which the server of a host proves that it may get a new key. Rejects with ApiError. */
  async begin(hostname: string): Promise<string> {
    const server = await this.servers.findByHostname(normalizedHost(hostname) ?? hostname);
    if (server === null) throw new ApiError(tenantErrors.hostnameNotRegistered, { hostname });
    return makeHostSecret(this.#key(), server.hostname, this.clock());
  }

  /** Asks the host for the secret, and gives its server a new key. Rejects with ApiError. */
  async end({
    hostname,
    accessToken,
    address,
  }: TransferEnd): Promise<{ readonly uuid: string; readonly key: string }> {
    const server = await this.servers.findByHostname(normalizedHost(hostname) ?? hostname);
    if (server === null) throw new ApiError(tenantErrors.noRegistrationOfHostname);
    await this.#charge(address);
    const answer = await this.verifier.ask(server.hostname, accessToken);
    const fault =
      'fault' in answer
        ? answer.fault
        : hostSecretFault(this.#key(), server.hostname, answer.secret, this.clock());
    if (fault !== null) throw new ApiError(tenantErrors.hostVerificationFailed, { text: fault });
    const key = newKey();
    if (!(await this.servers.setKey(server, key))) {
      throw new ApiError(tenantErrors.noRegistrationOfHostname);
    }
    return { uuid: server.uuid, key };
  }

  /** A limit of each host would let anybody block the transfer of that host. */
  async #charge(address: string): Promise<void> {
    await this.limits.charge('address-transfer', networkOf(address));
    try {
      await this.limits.charge('server-transfer', 'all');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const values = { support: this.options.supportEmail };
      throw new ApiError(tenantErrors.verificationsUsedUp, values, error.fields);
    }
  }

  #key(): Buffer {
    if (this.#secretKey === null) throw new ApiError(requestErrors.temporarilyUnavailable);
    return this.#secretKey;
  }
}

const newKey = (): string =>
  Array.from({ length: KEY_LENGTH }, () => KEY_ALPHABET[randomInt(KEY_ALPHABET.length)]).join('');
