import type { ApiError } from '#contracts';
import { JsonText } from './json-text.js';

/** The body of a successful answer: the envelope, the ignored parameters if any, and the fields. */
export function successBody(fields: unknown, ignored: readonly string[]): string {
  const head =
    ignored.length === 0
      ? '{"result":"success","msg":""'
      : `{"result":"success","msg":"","ignored_parameters_unsupported":${JSON.stringify(ignored)}`;
  const object = fields instanceof JsonText ? fields.text : JSON.stringify(fields ?? {});
  return object === '{}' ? `${head}}\n` : `${head},${object.slice(1)}\n`;
}

/** The body of an error's answer. */
export const errorBody = (error: ApiError): string =>
  `${JSON.stringify({ result: 'error', msg: error.message, code: error.error.code, ...error.fields })}\n`;
