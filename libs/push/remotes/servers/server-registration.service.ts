import { randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type RemoteCaller, requestErrors } from '#platform/contracts';
import { CLOCK, type Clock, deriveKey, networkOf } from '#platform/core';
import { RateLimits } from '#platform/rate-limits';
import { PUSH_KEY_SECRET } from '#push/service';
import { REMOTE_OPTIONS, type RemoteOptions } from '../remote-options.js';
import { remoteErrors } from '../remotes.errors.js';
import { refuseWithoutMail } from './contact-check.js';
import { HostVerifier } from './host-verifier.js';
import { isCanonicalV4 } from './remote-credentials.rules.js';
import { isKeyOf, type RemoteServer, RemoteServerRepository } from './remote-server.repository.js';
import {
  contactDomainIn,
  hostnameIn,
  hostSecretFault,
  makeHostSecret,
} from './server-registration.rules.js';

const KEY_LENGTH = 64;
const KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const PURPOSE = 'transfers of remote servers';
/** A registration is read again when another one of the same server was stored meanwhile. */
const MAX_ATTEMPTS = 3;

/** A registration, as a server sends it. */
export interface ServerRegistration {
  readonly uuid: string;
  readonly key: string;
  readonly newKey: string | undefined;
  readonly hostname: string;
  readonly contactEmail: string;
  /** The address that it comes from. */
  readonly address: string;
}

/** The registration of servers, its end, and its transfer to a server that has lost its key. */
@Injectable()
export class ServerRegistrationService {
  readonly #secretKey: Buffer | null;

  constructor(
    private readonly servers: RemoteServerRepository,
    private readonly verifier: HostVerifier,
    private readonly limits: RateLimits,
    @Inject(REMOTE_OPTIONS) private readonly options: RemoteOptions,
    @Inject(PUSH_KEY_SECRET) secret: Buffer | null,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#secretKey = secret === null ? null : deriveKey(secret, PURPOSE);
  }

  /** Registers a server or changes its registration; resolves with true for a new one. Rejects with ApiError. */
  async register(registration: ServerRegistration): Promise<boolean> {
    const hostname = hostnameIn(registration.hostname);
    const domain = contactDomainIn(registration.contactEmail);
    if (this.options.checksContacts) await refuseWithoutMail(domain);
    if (!isCanonicalV4(registration.uuid)) throw new ApiError(remoteErrors.invalidUuid);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const created = await this.#store({ ...registration, hostname });
      if (created !== null) return created;
    }
    throw new ApiError(requestErrors.temporarilyUnavailable);
  }

  /** Ends the registration for good. */
  deactivate({ serverId }: RemoteCaller): Promise<void> {
    return this.servers.deactivate(serverId);
  }

  /** The secret with which the server of a host proves that it may get a new key. Rejects with ApiError. */
  async beginTransfer(hostname: string): Promise<string> {
    const server = await this.servers.findByHostname(hostname.toLowerCase());
    if (server === null) throw new ApiError(remoteErrors.hostnameNotRegistered, { hostname });
    return makeHostSecret(this.#key(), server.hostname, this.clock());
  }

  /** Asks the host for the secret, and gives its server a new key. Rejects with ApiError. */
  async endTransfer(
    hostname: string,
    accessToken: string,
  ): Promise<{ readonly uuid: string; readonly key: string }> {
    await this.#chargeTransfer();
    const server = await this.servers.findByHostname(hostname.toLowerCase());
    if (server === null) throw new ApiError(remoteErrors.noRegistrationOfHostname);
    const answer = await this.verifier.ask(server.hostname, accessToken);
    const fault =
      'fault' in answer
        ? answer.fault
        : hostSecretFault(this.#key(), server.hostname, answer.secret, this.clock());
    if (fault !== null) throw new ApiError(remoteErrors.hostVerificationFailed, { text: fault });
    const key = newKey();
    if (!(await this.servers.setKey(server, key))) {
      throw new ApiError(remoteErrors.noRegistrationOfHostname);
    }
    return { uuid: server.uuid, key };
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
    if (!this.options.isOpen) throw new ApiError(remoteErrors.registrationClosed);
    await this.limits.charge('new-server', networkOf(address));
    return (await this.servers.add(stored)) ? true : null;
  }

  async #chargeTransfer(): Promise<void> {
    try {
      await this.limits.charge('server-transfer', 'all');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const values = { support: this.options.supportEmail };
      throw new ApiError(remoteErrors.verificationsUsedUp, values, error.fields);
    }
  }

  #key(): Buffer {
    if (this.#secretKey === null) throw new ApiError(requestErrors.temporarilyUnavailable);
    return this.#secretKey;
  }
}

const hostnameInUse = (hostname: string): ApiError =>
  new ApiError(remoteErrors.hostnameInUse, { hostname }, { hostname });

function refuseForeign(known: RemoteServer, key: string): void {
  const { uuid } = known;
  if (!isKeyOf(known, key)) {
    throw new ApiError(remoteErrors.registeredWithOtherKey, { id: uuid }, { role: uuid });
  }
  if (known.isDeactivated) throw new ApiError(remoteErrors.registrationDeactivated);
}

const newKey = (): string =>
  Array.from({ length: KEY_LENGTH }, () => KEY_ALPHABET[randomInt(KEY_ALPHABET.length)]).join('');
