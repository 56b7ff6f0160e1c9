import { type CataloguedError, errorCatalogue, type ErrorName } from './catalogue.js';

/** Values that fill the blanks of an error's text. */
export type ErrorValues = Readonly<Record<string, string | number>>;

/**
 * A case of the error catalogue. Use cases throw it; the edge alone turns it into HTTP.
 *
 * `fields` are further members of the answer's body, such as `var_name`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly error: CataloguedError;

  constructor(
    readonly errorName: ErrorName,
    values: ErrorValues = {},
    readonly fields: Readonly<Record<string, unknown>> = {},
  ) {
    const error = errorCatalogue[errorName];
    super(error.msg.replaceAll(/\{(\w+)\}/g, (blank, key: string) => String(values[key] ?? blank)));
    this.error = error;
  }
}
