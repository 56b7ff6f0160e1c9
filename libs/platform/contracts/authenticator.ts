import type { Caller } from './caller.js';
import { ApiError, type CataloguedError } from './errors/api-error.js';
import type { LimitState } from './limits.js';

/** What an endpoint requires of an account besides its sign-in, such as a role. */
export interface Requirement {
  /** The accounts that meet it, for the list of endpoints. */
  readonly who: string;
  /** The answer to all others. */
  readonly error: CataloguedError;
  isMetBy(caller: Caller): boolean;
}

/**
 * The required access of an endpoint: of an account, or of the server of another installation. `any-server`: without a
 * sign-in, but an endpoint for servers.
 */
export type Access = 'anyone' | 'user' | Requirement | ServerAccess;

/** The access of endpoints for the servers of other installations. */
export type ServerAccess = 'server' | 'any-server';

/** Whether an endpoint is for the servers of other installations. */
export const isForServers = (access: Access): access is ServerAccess =>
  access === 'server' || access === 'any-server';

/** The parts of a request that its authentication needs. */
export interface AuthRequest {
  readonly authorization: string | undefined;
  readonly host: string;
  /** The address of the client behind the trusted proxies. */
  readonly address: string;
}

/** The limit that a request is charged to: that of requests, that of reading files, or one that its endpoint charges. */
export type Charge = 'request' | 'file' | 'own';

/** Receives the state of the charged rate limit. */
export type OnCharged = (state: LimitState) => void;

/**
 * Authenticates a request before its parameters are parsed: sign-in, then rate limit, then requirement.
 *
 * `onCharged` is called with the charged limit before any error, so that the response can show it. Reading a file
 * has a separate limit, which is shown only when it is exceeded. Resolves with the account, or null for an
 * endpoint without a sign-in; rejects with ApiError.
 */
export interface Authenticator {
  authenticate(
    authRequest: AuthRequest,
    access: Access,
    onCharged: OnCharged,
    charge?: Charge,
  ): Promise<Caller | null>;

  /**
   * The caller of a request whose sign-in is in memory and valid; null for all others, which `authenticate` must answer.
   * Charges nothing.
   */
  known(authRequest: Pick<AuthRequest, 'authorization' | 'host'>): Caller | null;

  /** Charges one or several requests to the limit of their caller; rejects with ApiError. */
  charge(caller: Caller, onCharged: OnCharged, calls?: number): Promise<void>;
}

/** DI token of the program's Authenticator. */
export const AUTHENTICATOR = Symbol('Authenticator');

/** The signed-in server of another installation. */
export interface RemoteCaller {
  readonly serverId: number;
}

/** The limit that a request of a server is charged to: that of requests, that of uploads by the size of the body, or none. */
export type ServerCharge = 'request' | 'none' | { readonly uploadBytes: number };

/** The same for the servers of other installations. Resolves with null for an endpoint without a sign-in. */
export interface RemoteAuthenticator {
  authenticate(
    authRequest: AuthRequest,
    access: ServerAccess,
    onCharged: OnCharged,
    charge?: ServerCharge,
  ): Promise<RemoteCaller | null>;
  /** An upload of this many bytes was read and refused: it counts as one of those, and no longer as an upload. Never rejects. */
  uploadRefused(server: RemoteCaller, uploadBytes: number): Promise<void>;
}

/** DI token of the RemoteAuthenticator; only where there are endpoints for servers. */
export const REMOTE_AUTHENTICATOR = Symbol('RemoteAuthenticator');

/** Throws the error of a requirement that the caller does not meet. */
export function refuseUnmet(caller: Caller, access: Access): void {
  if (typeof access === 'object' && !access.isMetBy(caller)) throw new ApiError(access.error);
}
