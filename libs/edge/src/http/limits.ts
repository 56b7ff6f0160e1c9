/** The largest body of a request without files: far above any parameter's own limit. */
export const BODY_LIMIT_BYTES = 1_048_576;

/** The most characters of one part of a path that is a parameter. An email address may have 254. */
export const PATH_PART_LIMIT = 512;
