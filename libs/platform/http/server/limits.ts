import { MEBIBYTE } from '#platform/contracts';
/** The largest body of a request without files, far above the limit of any parameter. */
export const BODY_LIMIT_BYTES = MEBIBYTE;

/** The largest body of a request without a sign-in. */
export const ANONYMOUS_BODY_LIMIT_BYTES = 16_384;

/** The maximum number of members of a form, a multipart form or a JSON object. */
export const MEMBER_LIMIT = 1000;

/** The maximum number of members of all objects in a JSON text. Parsing takes up to a microsecond for each. */
export const NESTED_MEMBER_LIMIT = 10_000;

/** The maximum depth of lists and objects in a long JSON text. For each open one the parser takes some hundred bytes. */
export const NESTING_LIMIT = 1000;

/** The maximum length of a path parameter in characters. An email address may have 254. */
export const PATH_PART_LIMIT = 512;

/** The bytes of an answer that count as one call. */
export const BYTES_OF_CALL = 256 * 1024;
