import type { MultipartFile } from '@fastify/multipart';
import { ApiError } from '#contracts';
import type { FileDeclaration, UploadedFile } from './file-declaration.js';
import type { FileSpool } from './file-spool.js';

const MEBIBYTE = 1_048_576;

/** Takes in the file of one request to an endpoint that declares one. */
export class FileReceiver {
  readonly #limitMib: number;
  #count = 0;
  #isTooLarge = false;
  #path: string | null = null;
  #file: UploadedFile | null = null;

  constructor(
    private readonly declaration: FileDeclaration,
    private readonly spool: FileSpool,
  ) {
    this.#limitMib = declaration.limitMib ?? spool.limitMib;
  }

  /** The parser reads on behind the limit, so that the client gets to hear of it. */
  get partsOptions() {
    return { limits: { fileSize: this.#limitMib * MEBIBYTE }, throwFileSizeLimit: false };
  }

  /** Null until one has been taken in. */
  get file(): UploadedFile | null {
    return this.#file;
  }

  /** Writes the first file to disk, and passes over whatever else there is. */
  async take(part: MultipartFile): Promise<void> {
    // Browsers send a part without a name for a file that was not chosen.
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

  /** Throws the endpoint's own ApiError when what came was not one file within the limit. */
  requireFile(): void {
    const { missing, several, tooLarge } = this.declaration;
    if (this.#count > 1) throw new ApiError(several);
    if (this.#file === null) throw new ApiError(missing);
    if (this.#isTooLarge) throw new ApiError(tooLarge, { limit: this.#limitMib });
  }

  /** Removes what was written, if it is still there. */
  async discard(): Promise<void> {
    if (this.#path !== null) await this.spool.remove(this.#path);
  }
}

/** The parser tells `text/plain` of a part that says nothing, too, which is what that stands for. */
const contentTypeOf = ({ mimetype }: MultipartFile): string | null =>
  mimetype === '' || mimetype === 'text/plain' ? null : mimetype;
