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
import { errorText, realmUrl, isDiskFull } from '#core';
import { FreeSpace } from '../free-space.js';
import { KeepUpload } from '../keep-upload.js';
import { TusError, tusErrorOf, type TusRefusal } from './tus-answer.js';
import { TusServer } from './tus-server.js';
import { UnfinishedStore } from './unfinished-store.js';
import { UploadRoom } from './upload-room.js';

/** Where unfinished uploads are and how large they may become. */
export interface ResumableUploadOptions {
  readonly folder: string;
  readonly limitMib: number;
  /** An upload of which nothing has come for so long expires. */
  readonly silenceMs: number;
  readonly externalUrl: URL;
  /** Below this path, from the server's root. */
  readonly path: string;
}

/** What keeps account of the room that uploads take. */
export type UploadRoomPort = Pick<UploadRoom, 'prolong' | 'release' | 'releaseExpired' | 'reserve'>;

/** DI token of the ResumableUploadOptions. */
export const RESUMABLE_UPLOAD_OPTIONS = Symbol('ResumableUploadOptions');

type TusRequest = Parameters<NonNullable<ServerOptions['onUploadCreate']>>[0];
type TusUpload = Parameters<NonNullable<ServerOptions['onUploadCreate']>>[1];

const MEBIBYTE = 1_048_576;
const LONGEST_SWEEP_MS = 60 * 60 * 1000;
/** In the time until an upload expires. */
const SWEEPS = 4;
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
  /** The upload that a request is about. */
  readonly #ids = new WeakMap<object, string>();
  /** The upload that a request has taken room for. */
  readonly #begun = new WeakMap<object, string>();
  readonly #folder: string;
  readonly #store: UnfinishedStore;
  readonly #server: TusServer;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(UploadRoom) private readonly room: UploadRoomPort,
    @Inject(KeepUpload) private readonly keepUpload: Pick<KeepUpload, 'execute'>,
    @Inject(RESUMABLE_UPLOAD_OPTIONS) private readonly options: ResumableUploadOptions,
    @Inject(FreeSpace) private readonly freeSpace: Pick<FreeSpace, 'check'>,
  ) {
    this.#folder = path.resolve(options.folder);
    this.#store = new UnfinishedStore({
      directory: this.#folder,
      silenceMs: options.silenceMs,
      release: (id) => this.room.release(id),
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
    this.#timer = setInterval(
      () => {
        this.removeExpired().catch((error: unknown) =>
          this.#logger.warn(`Expired uploads were not all removed: ${errorText(error)}`),
        );
      },
      Math.min(LONGEST_SWEEP_MS, this.options.silenceMs / SWEEPS),
    ).unref();
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
    // A piece may take longer to come than an upload may be silent.
    const prolonging = setInterval(
      () => this.#prolong(this.#ids.get(request)),
      this.options.silenceMs / SWEEPS,
    ).unref();
    try {
      await this.#server.handle(request, response);
    } finally {
      clearInterval(prolonging);
      await this.#forgetUnanswered(request, response);
    }
  }

  /**
   * Removes the uploads of which nothing came for too long, and gives back the room of those that nobody else
   * will: those of a gateway that is gone. Resolves with how many files were removed.
   */
  async removeExpired(): Promise<number> {
    const count = await this.#server.cleanUpExpiredUploads();
    await this.room.releaseExpired();
    return count;
  }

  /** An upload whose creation was not answered with its address is one that no client can go on with. */
  async #forgetUnanswered(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = this.#begun.get(request);
    if (id === undefined) return;
    const isAnswered = response.writableEnded && response.statusCode < 400;
    if (!isAnswered) await this.#forget(id);
  }

  #prolong(id: string | undefined): void {
    if (id === undefined) return;
    this.room.prolong(id).catch((error: unknown) => {
      this.#logger.warn(`The room of an upload was not prolonged: ${errorText(error)}`);
    });
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
    const incoming = request.runtime?.node?.req;
    if (incoming !== undefined) this.#ids.set(incoming, id);
    if (request.method === 'PATCH') this.#prolong(id);
  }

  /** Takes the room of the whole upload, so that unfinished ones cannot exceed the quota together. */
  async #checkNew(request: TusRequest, { id, size = 0 }: TusUpload) {
    await this.freeSpace.check(size);
    await this.room.reserve(this.#callerOf(request), id, size);
    const incoming = request.runtime?.node?.req;
    if (incoming !== undefined) this.#begun.set(incoming, id);
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
        reservationId: id,
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
    if (isDiskFull(error)) {
      this.#logger.error(`A resumable upload found the disk full: ${error.message}`);
      return tusErrorOf(new ApiError('insufficientStorage'));
    }
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
