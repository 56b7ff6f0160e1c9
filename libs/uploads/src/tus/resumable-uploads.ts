import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { ERRORS, type ServerOptions } from '@tus/server';
import { ApiError, type Caller } from '#contracts';
import { errorText, realmUrl } from '#core';
import { AttachmentRepository } from '../attachment.repository.js';
import { KeepUpload } from '../keep-upload.js';
import { TusError, tusErrorOf, type TusRefusal } from './tus-answer.js';
import { TusServer } from './tus-server.js';
import { UnfinishedStore } from './unfinished-store.js';

/** Where unfinished uploads are and how large they may become. */
export interface ResumableUploadOptions {
  readonly folder: string;
  readonly limitMib: number;
  readonly externalUrl: URL;
  /** Below this path, from the server's root. */
  readonly path: string;
}

/** DI token of the ResumableUploadOptions. */
export const RESUMABLE_UPLOAD_OPTIONS = Symbol('ResumableUploadOptions');

type TusRequest = Parameters<NonNullable<ServerOptions['onUploadCreate']>>[0];
type TusUpload = Parameters<NonNullable<ServerOptions['onUploadCreate']>>[1];

const MEBIBYTE = 1_048_576;
const HOUR_MS = 60 * 60 * 1000;
/** From its beginning on. */
const EXPIRES_MS = 24 * HOUR_MS;
/** An upload without a length could not be held against the quota before its last byte. */
const DEFERRED_LENGTH = 'creation-defer-length';
/** Bytes. */
const ID_LENGTH = 18;

/**
 * Uploads in the tus protocol: in pieces, over connections that may break.
 *
 * An unfinished upload lies on the local disk, so that only a gateway with the same folder can go on with
 * it; its id tells whose it is. Finished, it is kept as every other upload, and gone from here.
 */
@Injectable()
export class ResumableUploads implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger(ResumableUploads.name);
  readonly #callers = new WeakMap<object, Caller>();
  readonly #folder: string;
  readonly #store: UnfinishedStore;
  readonly #server: TusServer;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(AttachmentRepository)
    private readonly attachments: Pick<AttachmentRepository, 'hasRoom'>,
    @Inject(KeepUpload) private readonly keepUpload: Pick<KeepUpload, 'execute'>,
    @Inject(RESUMABLE_UPLOAD_OPTIONS) private readonly options: ResumableUploadOptions,
  ) {
    this.#folder = path.resolve(options.folder);
    this.#store = new UnfinishedStore({
      directory: this.#folder,
      expirationPeriodInMilliseconds: EXPIRES_MS,
    });
    this.#store.extensions = this.#store.extensions.filter((name) => name !== DEFERRED_LENGTH);
    this.#server = new TusServer({
      path: options.path,
      datastore: this.#store,
      maxSize: options.limitMib * MEBIBYTE,
      disableTerminationForFinishedUploads: true,
      namingFunction: (request) => newId(this.#callerOf(request)),
      generateUrl: (request, { path: below, id }) =>
        `${realmUrl(options.externalUrl, this.#callerOf(request).realm.subdomain)}${below}/${id}`,
      onIncomingRequest: (request, id) => this.#checkOwner(request, id),
      onUploadCreate: (request, upload) => this.#checkNew(request, upload),
      onUploadFinish: (request, upload) => this.#finish(request, upload),
      onResponseError: (_request, error) => this.#refusalOf(error),
    });
  }

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => {
      this.removeExpired().catch((error: unknown) =>
        this.#logger.warn(`Expired uploads were not all removed: ${errorText(error)}`),
      );
    }, HOUR_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  /** Answers a request of the protocol; `caller` is null for OPTIONS alone. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller | null,
  ): Promise<void> {
    if (caller !== null) this.#callers.set(request, caller);
    request.method = methodOf(request);
    await this.#server.handle(request, response);
  }

  /** Removes what has not been finished in a day; resolves with how many. */
  removeExpired(): Promise<number> {
    return this.#server.cleanUpExpiredUploads();
  }

  #callerOf(request: TusRequest): Caller {
    const incoming = request.runtime?.node?.req;
    const caller = incoming && this.#callers.get(incoming);
    if (caller === undefined) throw new TusError(401, 'Unauthenticated upload');
    return caller;
  }

  /** Of somebody else's upload nothing is told. */
  async #checkOwner(request: TusRequest, id: string): Promise<void> {
    if (!id.startsWith(prefixOf(this.#callerOf(request)))) throw new TusError(404, 'Not found');
  }

  async #checkNew(request: TusRequest, { size = 0 }: TusUpload) {
    if (!(await this.attachments.hasRoom(this.#callerOf(request).realm.id, size))) {
      throw tusErrorOf(new ApiError('uploadQuotaExceeded'));
    }
    return {};
  }

  /** Whatever comes of it, the upload is over: the client learns it, or begins anew. */
  async #finish(request: TusRequest, upload: TusUpload) {
    const { id, size = 0, metadata } = upload;
    const { finishing } = this.#store;
    // A piece of no bytes would finish it once more.
    if (finishing.has(id)) throw new TusError(423, 'The upload is being finished');
    finishing.add(id);
    // After a creation the library would look up when the upload expires, which is over then.
    upload.creation_date = '';
    try {
      const { url, fileName } = await this.keepUpload.execute(this.#callerOf(request), {
        path: path.join(this.#folder, id),
        fileName: metadata?.['filename'] ?? '',
        contentType: metadata?.['filetype'] ?? null,
        sizeBytes: size,
        alphabet: 'ascii',
      });
      return {
        // An upload of no bytes is finished by its creation, which tells where it was.
        ...(request.method === 'PATCH' && { status_code: 200 }),
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ url, filename: fileName }),
      };
    } finally {
      await this.#forget(id);
      finishing.delete(id);
    }
  }

  /** The file itself was moved away, if it was kept. */
  async #forget(id: string): Promise<void> {
    await this.#store.remove(id).catch((error: unknown) => {
      this.#logger.warn(`A finished upload was not removed: ${errorText(error)}`);
    });
  }

  #refusalOf(error: Error | TusRefusal): TusRefusal {
    if (error === ERRORS.UNSUPPORTED_CREATION_DEFER_LENGTH_EXTENSION) {
      return new TusError(411, 'SizeIsDeferred is not supported');
    }
    if (error === ERRORS.ERR_MAX_SIZE_EXCEEDED) {
      return tusErrorOf(new ApiError('fileTooLarge', { limit: this.options.limitMib }));
    }
    if ('status_code' in error) return error;
    if (error instanceof ApiError) return tusErrorOf(error);
    this.#logger.error(`A resumable upload failed: ${error.stack ?? error.message}`);
    return new TusError(500, 'Internal server error');
  }
}

/** Clients behind proxies that pass on no other method name it in a header, and send a POST. */
function methodOf({ method, headers }: IncomingMessage): string | undefined {
  const given = headers['x-http-method-override'];
  return method === 'POST' && (given === 'PATCH' || given === 'DELETE') ? given : method;
}

/** Tells whose upload it is, so that nobody has to look that up. */
const newId = (caller: Caller): string =>
  prefixOf(caller) + randomBytes(ID_LENGTH).toString('base64url');

const prefixOf = ({ realm, userId }: Caller): string => `${realm.id}-${userId}-`;
