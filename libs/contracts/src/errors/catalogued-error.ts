/** One error that the API may answer with. `{name}` in a text stands for a value of the case. */
export interface CataloguedError {
  /** What clients compare; never renamed and never used again for something else. */
  readonly code: string;
  readonly status: number;
  readonly msg: string;
}

/** The code that most errors have: clients show their text. */
export const badRequest = (msg: string) => ({ code: 'BAD_REQUEST', status: 400, msg }) as const;

/** The status that clients take for a logout. */
export const unauthorized = (msg: string) => ({ code: 'UNAUTHORIZED', status: 401, msg }) as const;
