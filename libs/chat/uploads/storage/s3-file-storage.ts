import { MEBIBYTE } from '#platform/contracts';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { counted, errorText, Sampler } from '#platform/core';
import { outboundAgents, type OutboundProxy } from '#platform/outbound';
import type { ByteRange } from '#platform/http';
import { isStorageKey } from '../uploads.rules.js';
import {
  FileMissing,
  type FileStorage,
  type IncomingFile,
  StorageUnavailable,
} from './file-storage.js';

/** The address and the credentials of a bucket. */
export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Undefined for Amazon. */
  readonly endpoint: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether the name of the bucket is part of the path instead of the host. */
  readonly hasPathStyle: boolean;
  /** The way there; left out for a direct one. */
  readonly proxy?: OutboundProxy | undefined;
}

/** Storing a file holds at most two parts of 8 MiB in memory. */
const PART_BYTES = 8 * MEBIBYTE;
const CONCURRENT_PARTS = 2;

const CONNECT_TIMEOUT_MS = 5_000;
/** Many times those that the slow readers of one account can hold. */
const MAX_CONNECTIONS = 500;
/**
 * The time without any byte in either direction. A client that stops reading pauses the answer of the storage, and the server
 * ends its connection after HTTP_SEND_STALL_SECONDS, by default 60.
 */
const IDLE_TIMEOUT_MS = 65_000;
/** The time until the answer to a request begins; a part has to be sent within it. */
const PART_TIMEOUT_MS = 30_000;
/** The same for a request without a body. */
const ANSWER_TIMEOUT_MS = 8_000;
/** Of a request that fails or that is not answered. */
const MAX_ATTEMPTS = 2;

/** Stores files in a bucket of S3, or of a compatible service. */
export class S3FileStorage implements FileStorage, OnApplicationShutdown {
  readonly isFolder = false;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #logger = new Logger(S3FileStorage.name);
  readonly #failures = new Sampler();

  constructor(
    options: S3Options,
    private readonly answerTimeoutMs = ANSWER_TIMEOUT_MS,
  ) {
    this.#bucket = options.bucket;
    const agents = outboundAgents(options.proxy, { keepAlive: true, maxSockets: MAX_CONNECTIONS });
    this.#client = new S3Client({
      region: options.region,
      ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
      forcePathStyle: options.hasPathStyle,
      credentials: {
        accessKeyId: options.accessKeyId,
        secretAccessKey: options.secretAccessKey,
      },
      // Many compatible services do not support checksums that are not required.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: MAX_ATTEMPTS,
      requestHandler: {
        httpAgent: agents.plain,
        httpsAgent: agents.tls,
        connectionTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: IDLE_TIMEOUT_MS,
        requestTimeout: PART_TIMEOUT_MS,
        throwOnRequestTimeout: true,
      },
    });
  }

  async store(key: string, file: IncomingFile): Promise<void> {
    const upload = new Upload({
      client: this.#client,
      params: {
        ...this.#object(key),
        Body: createReadStream(file.path, { highWaterMark: MEBIBYTE }),
        ContentType: file.contentType,
      },
      partSize: PART_BYTES,
      queueSize: CONCURRENT_PARTS,
    });
    await this.#request(upload.done());
  }

  async read(key: string, range: ByteRange | null = null): Promise<Readable> {
    const { Body } = await this.#request(
      this.#client.send(
        new GetObjectCommand({
          ...this.#object(key),
          ...(range !== null && { Range: `bytes=${range.first}-${range.last}` }),
        }),
        { requestTimeout: this.answerTimeoutMs },
      ),
    );
    // In Node.js, the client returns Node.js streams.
    if (Body instanceof Readable) return Body;
    throw new Error('The storage answered without a body');
  }

  async remove(key: string): Promise<void> {
    if (!isStorageKey(key)) return;
    await this.#request(
      this.#client.send(new DeleteObjectCommand(this.#object(key)), {
        requestTimeout: this.answerTimeoutMs,
      }),
    );
  }

  onApplicationShutdown(): void {
    this.#client.destroy();
  }

  async #request<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      if (!isOfService(error)) throw error;
      if (MISSING.has(error.name)) throw new FileMissing();
      const reason = `the bucket ${this.#bucket} ${failureText(error)}`;
      const count = this.#failures.take();
      if (count !== null) {
        this.#logger.warn(`${counted(count, 'request')} failed since the last entry: ${reason}`);
      }
      throw new StorageUnavailable(reason, error);
    }
  }

  #object(key: string): { readonly Bucket: string; readonly Key: string } {
    if (!isStorageKey(key)) throw new FileMissing();
    return { Bucket: this.#bucket, Key: key };
  }
}

const MISSING: ReadonlySet<unknown> = new Set(['NoSuchKey', 'NotFound']);

/** A failed request. The client adds the metadata; without a status if there was no response. */
interface FailedRequest extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Whether the service or the way to it failed, and not the local file. */
const isOfService = (error: unknown): error is FailedRequest =>
  error instanceof Error && '$metadata' in error;

/** The failure, and the variables to check. Without the text of the service, which may contain anything. */
function failureText(error: FailedRequest): string {
  const status = error.$metadata?.httpStatusCode;
  if (status === undefined) return `does not answer (${errorText(error)}): check S3_ENDPOINT`;
  const answer = `answers ${status} ${error.name}`;
  if (error.name === 'NoSuchBucket') return `${answer}: check S3_BUCKET and S3_ENDPOINT`;
  if (status === 401 || status === 403) {
    return `${answer}: check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and the rights of the key`;
  }
  if (status === 429 || status >= 500) return answer;
  return `${answer}: check S3_REGION, S3_ENDPOINT and S3_PATH_STYLE`;
}
