import { type ApiError, successEnvelope } from '#contracts';
import { JsonText } from './json-text.js';

/** The body of a successful answer: the envelope, the ignored parameters if any, and the fields. */
export const successBody = (fields: unknown, ignored: readonly string[]): string =>
  successEnvelope(fields instanceof JsonText ? fields.text : JSON.stringify(fields ?? {}), ignored);

/** The body of an error's answer. */
export const errorBody = (error: ApiError): string =>
  `${JSON.stringify({ result: 'error', msg: error.message, code: error.error.code, ...error.fields })}\n`;
