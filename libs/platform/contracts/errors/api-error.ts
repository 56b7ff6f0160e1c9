/** One error of the API. `{name}` in a text is a placeholder. */
export interface CataloguedError {
  /** Clients compare it; it is never renamed or reused. */
  readonly code: string;
  readonly status: number;
  readonly msg: string;
  /** The condition of the error, as Markdown for docs/errors.md. */
  readonly when: string;
  /** Unique among all errors; used in docs/errors.md and tests. */
  readonly name: string;
}

type Declarations = Readonly<Record<string, Omit<CataloguedError, 'name'>>>;
type Named<Errors> = { readonly [Name in keyof Errors]: Errors[Name] & { readonly name: Name } };

/** Declares the errors of one capability; each gets its key as its name. */
export function defineErrors<const Errors extends Declarations>(errors: Errors): Named<Errors> {
  const named = Object.entries(errors).map(([name, error]) => [name, { ...error, name }]);
  return Object.fromEntries(named) as Named<Errors>;
}

/** The code of most errors, whose text clients show. */
export const badRequest = (msg: string, when: string) =>
  ({ code: 'BAD_REQUEST', status: 400, msg, when }) as const;

/** Clients treat this status as a logout. */
export const unauthorized = (msg: string, when: string) =>
  ({ code: 'UNAUTHORIZED', status: 401, msg, when }) as const;

/** The values of the placeholders in an error text. */
type ErrorValues = Readonly<Record<string, string | number>>;

/** The longest quotation of a value in an error: longer than any valid name, address or list of a few of them. */
const LONGEST_QUOTATION = 1000;

/** The start of a value from outside, for an error that names it. */
export const quoted = (value: string): string =>
  value.length <= LONGEST_QUOTATION
    ? value
    : // Without half of a surrogate pair.
      `${value.slice(0, LONGEST_QUOTATION).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** Placeholders for texts of this server, which quote only parts of a request. */
const COMPOSED: ReadonlySet<string> = new Set(['text', 'msg', 'reason']);

/**
 * An error that a capability declares in its `*.errors.ts`. Services throw it, and the edge converts it to HTTP.
 *
 * Long values are cut. `fields` are further members of the response body, such as `var_name`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly error: CataloguedError,
    values: ErrorValues = {},
    readonly fields: Readonly<Record<string, unknown>> = {},
  ) {
    super(
      error.msg.replaceAll(/\{(\w+)\}/g, (blank, key: string) => {
        const value = String(values[key] ?? blank);
        return COMPOSED.has(key) ? value : quoted(value);
      }),
    );
  }
}
