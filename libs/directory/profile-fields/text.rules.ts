import { ApiError, parameterErrors } from '#platform/contracts';

/** Whether a text has more than `maximum` code points. */
export function isLongerThan(maximum: number, text: string): boolean {
  // A code point has one or two UTF-16 units, so most texts need no count.
  if (text.length <= maximum) return false;
  return text.length > 2 * maximum || [...text].length > maximum;
}

/** Whether a text has an unpaired surrogate, which JSON allows and PostgreSQL rejects. */
export const hasUnpairedSurrogate = (text: string): boolean => /\p{Surrogate}/u.test(text);

const WEB_ADDRESS = /^https?:\/\/\S+$/i;

/** Whether a text is an absolute http or https URL. */
export const isWebAddress = (text: string): boolean => WEB_ADDRESS.test(text) && URL.canParse(text);

/** The error for an invalid value; `text` names the value. */
export const invalidValue = (text: string): ApiError =>
  new ApiError(parameterErrors.invalidParameter, { text });

/** The error for a text that is longer than its limit. */
export const tooLong = (name: string, limit: number): ApiError =>
  invalidValue(`${name} is too long (limit: ${limit} characters)`);
