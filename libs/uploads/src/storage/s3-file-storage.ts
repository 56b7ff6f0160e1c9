import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { ByteRange } from '#edge';
import { FileMissing, type FileStorage, type IncomingFile, StorageAway } from './file-storage.js';
import { isStorageKey } from './storage-key.rules.js';

/** How a bucket is reached. */
export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Left out, Amazon's own. */
  readonly endpoint: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether the bucket's name goes into the path and not into the host. */
  readonly hasPathStyle: boolean;
}

/** What one file that is being stored holds in memory: at most parts of 8 MiB, two at a time. */
const PART_BYTES = 8 * 1_048_576;
const PARTS_AT_ONCE = 2;

const CONNECT_TIMEOUT_MS = 5_000;
/** Without a byte from the other side. */
const IDLE_TIMEOUT_MS = 30_000;

/** Files in a bucket of S3, or of a service that speaks its protocol. */
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
      // Checksums that were not asked for are unknown to many services that are not Amazon's.
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
      queueSize: PARTS_AT_ONCE,
    });
    await this.#reached(upload.done());
  }

  async read(key: string, range: ByteRange | null = null): Promise<Readable> {
    const { Body } = await this.#reached(
      this.#client.send(
        new GetObjectCommand({
          ...this.#object(key),
          ...(range !== null && { Range: `bytes=${range.first}-${range.last}` }),
        }),
      ),
    );
    // Under Node the client hands out Node's own streams.
    if (Body instanceof Readable) return Body;
    throw new Error('The storage answered without a body');
  }

  async remove(key: string): Promise<void> {
    if (!isStorageKey(key)) return;
    await this.#reached(this.#client.send(new DeleteObjectCommand(this.#object(key))));
  }

  onApplicationShutdown(): void {
    this.#client.destroy();
  }

  async #reached<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      if (isMissing(error)) throw new FileMissing();
      throw isAway(error) ? new StorageAway(error) : error;
    }
  }

  #object(key: string): { readonly Bucket: string; readonly Key: string } {
    if (!isStorageKey(key)) throw new FileMissing();
    return { Bucket: this.#bucket, Key: key };
  }
}

const MISSING: ReadonlySet<unknown> = new Set(['NoSuchKey', 'NotFound']);

const isMissing = (error: unknown): boolean => error instanceof Error && MISSING.has(error.name);

/** What the client adds to an error of a request: no status where there was no answer. */
interface Failed {
  readonly $metadata?: { readonly httpStatusCode?: number };
}

function isAway(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  // The client adds it in this shape.
  const { httpStatusCode = 503 } = (error as Failed).$metadata ?? {};
  return httpStatusCode >= 500 || httpStatusCode === 429;
}
