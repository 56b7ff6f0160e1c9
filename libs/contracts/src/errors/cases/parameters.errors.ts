import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Parameters. */
export const parameterErrors = {
  missingParameter: {
    code: 'REQUEST_VARIABLE_MISSING',
    status: 400,
    msg: "Missing '{name}' argument",
  },
  invalidParameter: badRequest('{text}'),
} as const satisfies Record<string, CataloguedError>;
