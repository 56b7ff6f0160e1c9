import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ERRORS, type ServerOptions } from '@tus/server';
import { ApiError, type Caller, MEBIBYTE, requestErrors } from '#platform/contracts';
import {
  counted,
  errorText,
  isDiskFull,
  isOutage,
  PeriodicService,
  PeriodicTask,
  realmUrl,
  Sampler,
  ToleratedFailures,
} from '#platform/core';
import { addStreamingRoute, API_PREFIX, errorHeaders, FreeSpace } from '#platform/http';
import { uploadErrors } from '../uploads.errors.js';
import { UploadsService } from '../uploads.service.js';
import {
  refusalStatus,
  TusError,
  tusErrorOf,
  type TusErrorResponse,
  TusServer,
} from './tus-server.js';
import { UnfinishedStore } from './unfinished-store.js';
import { UploadReservations } from './upload-reservations.js';

/** The settings of resumable uploads. */
export interface ResumableUploadOptions {
  readonly folder: string;
  readonly limitMib: number;
  /** The time without data after which an upload expires. */
  readonly idleLimitMs: number;
  readonly externalUrl: URL;
  /** The path of the endpoint, from the server's root. */
  readonly path: string;
}

/** DI token of the ResumableUploadOptions. */
export const RESUMABLE_UPLOAD_OPTIONS = Symbol('ResumableUploadOptions');

type TusRequest = Parameters<NonNullable<ServerOptions['onUploadCreate']>>[0];
type TusUpload = Parameters<NonNullable<ServerOptions['onUploadCreate']>>[1];

const MAX_SWEEP_INTERVAL_MS = 60 * 60 * 1000;
/** The number of sweeps within the idle limit. */
const SWEEPS = 4;
/** Not supported: the quota must be checked before the first byte. */
const DEFERRED_LENGTH = 'creation-defer-length';
const ID_BYTES = 18;
const UNAUTHENTICATED = 'Unauthenticated upload';
const UNAUTHENTICATED_BODY = JSON.stringify({ message: UNAUTHENTICATED });

/** The account that sent a request, and the check that its sign-in has not ended meanwhile. */
interface Sender {
  readonly caller: Caller;
  readonly confirmSignIn: () => Promise<unknown>;
}

/**
 * Serves uploads in the tus protocol, which clients can resume after a broken connection.
 *
 * An unfinished upload is on the local disk, so that only a gateway with the same folder can resume it. Its id contains
 * its owner. A finished upload is stored like any other file.
 */
@Injectable()
export class ResumableUploads extends PeriodicService {
  readonly #logger = new Logger(ResumableUploads.name);
  readonly #outages = new Sampler();
  readonly #tolerated = new ToleratedFailures(ResumableUploads.name);
  readonly #senders = new WeakMap<object, Sender>();
  /** The ids of uploads by request. */
  readonly #ids = new WeakMap<object, string>();
  /** The ids of the uploads that a request has created. */
  readonly #created = new WeakMap<object, string>();
  readonly #folder: string;
  readonly #store: UnfinishedStore;
  readonly #server: TusServer;
  protected readonly task: PeriodicTask;

  constructor(
    @Inject(UploadReservations)
    private readonly reservations: Pick<UploadReservations, keyof UploadReservations>,
    @Inject(UploadsService) private readonly uploads: Pick<UploadsService, 'store'>,
    @Inject(RESUMABLE_UPLOAD_OPTIONS) private readonly options: ResumableUploadOptions,
    @Inject(FreeSpace) private readonly freeSpace: Pick<FreeSpace, 'check'>,
  ) {
    super();
    this.#folder = path.resolve(options.folder);
    const sweepMs = Math.min(MAX_SWEEP_INTERVAL_MS, options.idleLimitMs / SWEEPS);
    this.task = new PeriodicTask(sweepMs, () => this.removeExpired(), {
      failure: 'Expired uploads were not all removed',
      logger: this.#logger,
    });
    this.#store = new UnfinishedStore({
      directory: this.#folder,
      idleLimitMs: options.idleLimitMs,
      release: (id) => this.reservations.release(id),
    });
    this.#store.extensions = this.#store.extensions.filter((name) => name !== DEFERRED_LENGTH);
    this.#server = new TusServer({
      path: options.path,
      datastore: this.#store,
      maxSize: options.limitMib * MEBIBYTE,
      disableTerminationForFinishedUploads: true,
      // For pages of other origins, like everywhere in the API.
      allowedHeaders: ['Idempotency-Key'],
      namingFunction: (request) => newId(this.#callerOf(request)),
      generateUrl: (request, { path: below, id }) =>
        `${realmUrl(options.externalUrl, this.#callerOf(request).realm.subdomain)}${below}/${id}`,
      onIncomingRequest: (request, id) => this.#checkOwner(request, id),
      onUploadCreate: (request, upload) => this.#checkNew(request, upload),
      onUploadFinish: (request, upload) => this.#finish(request, upload),
      onResponseError: (request, error) => this.#responseTo(request, error),
    });
  }

  /**
   * Handles a request of the protocol; `caller` is null only for OPTIONS. `confirmSignIn` rejects if the sign-in has ended
   * while the data arrived.
   */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller | null,
    confirmSignIn: () => Promise<unknown>,
  ): Promise<void> {
    if (caller !== null) this.#senders.set(request, { caller, confirmSignIn });
    request.method = methodOf(request);
    // A request may take longer than the idle limit.
    const prolonging = setInterval(
      () => this.#prolong(this.#ids.get(request)),
      this.options.idleLimitMs / SWEEPS,
    ).unref();
    try {
      await this.#server.handle(request, response);
    } finally {
      clearInterval(prolonging);
      await this.#removeUnanswered(request, response);
    }
  }

  /**
   * Removes the expired uploads of this folder, and the expired reservations of gateways that have crashed. Resolves
   * with the number of removed uploads.
   */
  async removeExpired(): Promise<number> {
    const count = await this.#server.cleanUpExpiredUploads();
    await this.reservations.releaseExpired();
    return count;
  }

  /** Removes a new upload if the client did not get its address, and so cannot resume it. */
  async #removeUnanswered(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = this.#created.get(request);
    if (id === undefined) return;
    const isAnswered = response.writableEnded && response.statusCode < 400;
    if (!isAnswered) await this.#remove(id);
  }

  #prolong(id: string | undefined): void {
    if (id === undefined) return;
    this.reservations.prolong(id).catch((error: unknown) => {
      this.#tolerated.record(error);
    });
  }

  #senderOf(request: TusRequest): Sender {
    const incoming = request.runtime?.node?.req;
    const sender = incoming && this.#senders.get(incoming);
    if (sender === undefined) throw new TusError(401, UNAUTHENTICATED);
    return sender;
  }

  #callerOf(request: TusRequest): Caller {
    return this.#senderOf(request).caller;
  }

  /** Rejects with 404 for uploads of other accounts. */
  async #checkOwner(request: TusRequest, id: string): Promise<void> {
    if (!id.startsWith(prefixOf(this.#callerOf(request)))) throw new TusError(404, 'Not found');
    const incoming = request.runtime?.node?.req;
    if (incoming !== undefined) this.#ids.set(incoming, id);
    if (request.method === 'PATCH') this.#prolong(id);
  }

  /** Reserves the quota for the whole upload, so that all unfinished uploads together stay within it. */
  async #checkNew(request: TusRequest, { id, size = 0 }: TusUpload) {
    await this.freeSpace.check(size);
    await this.reservations.reserve(this.#callerOf(request), id, size);
    const incoming = request.runtime?.node?.req;
    if (incoming !== undefined) this.#created.set(incoming, id);
    return {};
  }

  /**
   * Stores the finished file. After an outage of a store, or after a refused sign-in (then with a new key, or below its limit),
   * the client sends the end of its upload again; after any other error it starts again.
   */
  async #finish(request: TusRequest, upload: TusUpload) {
    const { id, size = 0, metadata } = upload;
    const { finishing } = this.#store;
    // An empty request would finish it again.
    if (finishing.has(id)) throw new TusError(423, 'The upload is being finished');
    finishing.add(id);
    // Keeps the library from looking up the expiry of the upload, which no longer exists then.
    upload.creation_date = '';
    try {
      const { caller, confirmSignIn } = this.#senderOf(request);
      await confirmSignIn();
      const { url, fileName } = await this.uploads.store(caller, {
        path: path.join(this.#folder, id),
        fileName: metadata?.['filename'] ?? '',
        contentType: metadata?.['filetype'] ?? null,
        sizeBytes: size,
        alphabet: 'ascii',
        reservationId: id,
      });
      await this.#remove(id);
      return {
        // The creation of an empty upload finishes it, and responds with its address.
        ...(request.method === 'PATCH' && { status_code: 200 }),
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ url, filename: fileName }),
      };
    } catch (error) {
      if (size > 0 && canFinishLater(error)) await this.#store.reopen(id, size);
      else await this.#remove(id);
      throw error;
    } finally {
      finishing.delete(id);
    }
  }

  /** The file has already been moved if it was stored. */
  async #remove(id: string): Promise<void> {
    await this.#store.remove(id).catch((error: unknown) => {
      this.#logger.warn(`A finished upload was not removed: ${errorText(error)}`);
    });
  }

  /**
   * The library takes the status and the body from the returned response. Headers are set on the response of Node, which the
   * library keeps.
   */
  #responseTo(request: TusRequest, error: Error | TusErrorResponse): TusErrorResponse {
    const answered = this.#errorFor(error);
    if (!(answered instanceof ApiError)) return answered;
    for (const [name, value] of Object.entries(errorHeaders(answered))) {
      request.runtime?.node?.res?.setHeader(name, value);
    }
    return tusErrorOf(answered, request.method);
  }

  #errorFor(error: Error | TusErrorResponse): ApiError | TusErrorResponse {
    if (error === ERRORS.UNSUPPORTED_CREATION_DEFER_LENGTH_EXTENSION) {
      return new TusError(411, 'SizeIsDeferred is not supported');
    }
    if (error === ERRORS.ERR_LOCK_TIMEOUT)
      return new ApiError(requestErrors.temporarilyUnavailable);
    if (error === ERRORS.ERR_MAX_SIZE_EXCEEDED) {
      return new ApiError(uploadErrors.fileTooLarge, { limit: this.options.limitMib });
    }
    if ('status_code' in error || error instanceof ApiError) return error;
    if (isDiskFull(error)) {
      this.#logger.error(`A resumable upload found the disk full: ${error.message}`);
      return new ApiError(requestErrors.insufficientStorage);
    }
    if (isOutage(error)) {
      this.#logOutage(error);
      return new ApiError(requestErrors.temporarilyUnavailable);
    }
    this.#logger.error(`A resumable upload failed: ${error.stack ?? error.message}`);
    return new TusError(500, 'Internal server error');
  }

  #logOutage(error: unknown): void {
    const count = this.#outages.take();
    if (count === null) return;
    this.#logger.warn(
      `A store failed for ${counted(count, 'resumable upload')} since the last entry: ${errorText(error)}`,
    );
  }
}

/** Whether a store is down, or the sign-in is refused at the end of the upload: for its key, or for the number of calls. */
const canFinishLater = (error: unknown): boolean =>
  isOutage(error) || (error instanceof ApiError && [401, 429].includes(error.error.status));

/** The method; clients behind restrictive proxies send POST, and the method in a header. */
function methodOf({ method, headers }: IncomingMessage): string | undefined {
  const given = headers['x-http-method-override'];
  return method === 'POST' && (given === 'PATCH' || given === 'DELETE') ? given : method;
}

/** The id of a new upload, with its owner as a prefix. */
const newId = (caller: Caller): string =>
  prefixOf(caller) + randomBytes(ID_BYTES).toString('base64url');

const prefixOf = ({ realm, userId }: Caller): string => `${realm.id}-${userId}-`;

/** Adds the route of resumable uploads, which uses the responses of the tus protocol. */
export async function addResumableUploads(app: NestFastifyApplication): Promise<void> {
  const uploads = app.get(ResumableUploads, { strict: false });
  await addStreamingRoute(app, {
    path: `${API_PREFIX}/tus`,
    access: 'user',
    handle: (request, response, caller, confirmSignIn) =>
      uploads.handle(request, response, caller, confirmSignIn),
    refusalOf: (refusal, method) => ({
      status: refusalStatus(refusal, method),
      body: refusal.error.status === 401 ? UNAUTHENTICATED_BODY : undefined,
    }),
  });
}
