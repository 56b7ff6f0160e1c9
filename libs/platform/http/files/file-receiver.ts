import type { IncomingMessage } from 'node:http';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type CataloguedError, MEBIBYTE } from '#platform/contracts';
import type { FileSpool } from './file-spool.js';
import { bodyLengthOf, disconnectWhenStalled } from '../server/request-body.js';

/** The one file that an endpoint accepts in a multipart form, in a field of any name. */
export interface FileDeclaration {
  /** The name of the field in the documentation. */
  readonly field: string;
  readonly description: string;
  /** In MiB; by default the limit of the program. */
  readonly limitMib?: number;
  readonly missing: CataloguedError;
  readonly several: CataloguedError;
  /** Its text may contain `{limit}`, in MiB. */
  readonly tooLarge: CataloguedError;
}

/** An uploaded file. It is removed after the route, unless the route has moved it. */
export interface UploadedFile {
  readonly fieldName: string;
  /** The name that the client sent, without folders; never empty. */
  readonly fileName: string;
  /** In lower case and without parameters; null if the client sent none. */
  readonly contentType: string | null;
  readonly sizeBytes: number;
  /** The path in the spool folder. */
  readonly path: string;
}

/** Receives the file of one request. */
export class FileReceiver {
  readonly #limitMib: number;
  #release: () => void = () => undefined;
  #count = 0;
  #isTooLarge = false;
  #path: string | null = null;
  #file: UploadedFile | null = null;

  /** `owner` is the account or the address that sends the file. */
  constructor(
    private readonly declaration: FileDeclaration,
    private readonly spool: FileSpool,
    private readonly owner: string,
  ) {
    this.#limitMib = declaration.limitMib ?? spool.limitMib;
  }

  /** The parser reads beyond the limit, so that the client receives an error response. */
  get partsOptions() {
    return { limits: { fileSize: this.#limitMib * MEBIBYTE }, throwFileSizeLimit: false };
  }

  /** Reserves disk space for the file of a request until `discard`. Rejects like `FileSpool.reserve`. */
  async reserve(request: IncomingMessage): Promise<void> {
    const limitBytes = this.#limitMib * MEBIBYTE;
    const bytes = Math.min(bodyLengthOf(request) ?? limitBytes, limitBytes);
    this.#release = await this.spool.reserve(this.owner, bytes);
  }

  /** Null until a file has been received. */
  get file(): UploadedFile | null {
    return this.#file;
  }

  /** Writes the first file to disk, and ignores all others. */
  async take(part: MultipartFile): Promise<void> {
    // Browsers send a part without a name if no file was chosen.
    if (part.filename) this.#count += 1;
    if (!part.filename || this.#path !== null) {
      part.file.resume();
      return;
    }
    this.#path = this.spool.newPath();
    const sizeBytes = await this.spool.write(part, this.#path);
    this.#isTooLarge = part.file.truncated;
    this.#file = {
      fieldName: part.fieldname,
      fileName: part.filename,
      contentType: contentTypeOf(part),
      sizeBytes,
      path: this.#path,
    };
  }

  /** Throws the ApiError of the endpoint unless exactly one file within the limit was received. */
  requireFile(): void {
    const { missing, several, tooLarge } = this.declaration;
    if (this.#count > 1) throw new ApiError(several);
    if (this.#file === null) throw new ApiError(missing);
    if (this.#isTooLarge) throw new ApiError(tooLarge, { limit: this.#limitMib });
  }

  /** Removes the written file if it still exists, and releases its space. Call it once. */
  async discard(): Promise<void> {
    if (this.#path !== null) await this.spool.remove(this.#path);
    this.#release();
  }
}

/** The parser reports `text/plain` for a part without a content type. */
const contentTypeOf = ({ mimetype }: MultipartFile): string | null =>
  mimetype === '' || mimetype === 'text/plain' ? null : mimetype;

/**
 * Reads a request with `read`, which passes the file to `receiver`, and requires the file; without a receiver it only
 * reads. On a failure the written part of the file is removed.
 */
export async function withReceivedFile(
  receiver: FileReceiver | null,
  request: FastifyRequest,
  reply: FastifyReply,
  read: () => Promise<void>,
): Promise<void> {
  if (receiver === null) return read();
  try {
    disconnectWhenStalled(request.raw, reply.raw);
    await receiver.reserve(request.raw);
    await read();
    receiver.requireFile();
  } catch (error) {
    await receiver.discard();
    // The connection cannot be used again, because the body was not read to its end.
    if (!request.raw.complete) reply.header('Connection', 'close');
    throw error;
  }
}
