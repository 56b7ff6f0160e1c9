/** The largest body of a request without files: far above any parameter's own limit. */
export const BODY_LIMIT_BYTES = 1_048_576;

/** The largest body of a request that needs no sign-in. */
export const ANONYMOUS_BODY_LIMIT_BYTES = 16_384;

/** The most members of a form, a multipart form or a JSON object. */
export const MEMBER_LIMIT = 1000;

/** The most members of all objects in a JSON text together. Parsing takes up to a microsecond for each. */
export const NESTED_MEMBER_LIMIT = 10_000;

/** The most characters of one part of a path that is a parameter. An email address may have 254. */
export const PATH_PART_LIMIT = 512;
