import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { OnApplicationShutdown } from '@nestjs/common';
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
}

/** Storing a file holds at most two parts of 8 MiB in memory. */
const PART_BYTES = 8 * 1_048_576;
const CONCURRENT_PARTS = 2;

const CONNECT_TIMEOUT_MS = 5_000;
/** The time without any received byte. */
const IDLE_TIMEOUT_MS = 30_000;

/** Stores files in a bucket of S3, or of a compatible service. */
export class S3FileStorage implements FileStorage, OnApplicationShutdown {
  readonly isFolder = false;
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(options: S3Options) {
    this.#bucket = options.bucket;
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
      requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: IDLE_TIMEOUT_MS },
    });
  }

  async store(key: string, file: IncomingFile): Promise<void> {
    const upload = new Upload({
      client: this.#client,
      params: {
        ...this.#object(key),
        Body: createReadStream(file.path, { highWaterMark: 1_048_576 }),
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
      ),
    );
    // In Node.js, the client returns Node.js streams.
    if (Body instanceof Readable) return Body;
    throw new Error('The storage answered without a body');
  }

  async remove(key: string): Promise<void> {
    if (!isStorageKey(key)) return;
    await this.#request(this.#client.send(new DeleteObjectCommand(this.#object(key))));
  }

  onApplicationShutdown(): void {
    this.#client.destroy();
  }

  async #request<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      if (isMissing(error)) throw new FileMissing();
      throw isUnavailable(error) ? new StorageUnavailable(error) : error;
    }
  }

  #object(key: string): { readonly Bucket: string; readonly Key: string } {
    if (!isStorageKey(key)) throw new FileMissing();
    return { Bucket: this.#bucket, Key: key };
  }
}

const MISSING: ReadonlySet<unknown> = new Set(['NoSuchKey', 'NotFound']);

const isMissing = (error: unknown): boolean => error instanceof Error && MISSING.has(error.name);

/** The metadata that the client adds to an error; without a status if there was no response. */
interface FailedRequest {
  readonly $metadata?: { readonly httpStatusCode?: number };
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  // The AWS client adds metadata in this shape.
  const { httpStatusCode = 503 } = (error as FailedRequest).$metadata ?? {};
  return httpStatusCode >= 500 || httpStatusCode === 429;
}
