import type { ErrorName } from '#contracts';

/** The one file that an endpoint takes, in a multipart form, whatever its field is called. */
export interface FileDeclaration {
  /** The name of its field in the documentation. */
  readonly field: string;
  readonly description: string;
  /** In MiB; left out, the limit of the program. */
  readonly limitMib?: number;
  readonly missing: ErrorName;
  readonly several: ErrorName;
  /** Its text may hold `{limit}`, in MiB. */
  readonly tooLarge: ErrorName;
}

/** A file that a request brought. It is gone once the route is done, unless the route has moved it. */
export interface UploadedFile {
  readonly fieldName: string;
  /** As the client named it, without the folders before it; never empty. */
  readonly fileName: string;
  /** In lower case and without parameters; null where the client did not say. */
  readonly contentType: string | null;
  readonly sizeBytes: number;
  /** Where it lies in the spool folder. */
  readonly path: string;
}
