/** The largest body of a request without files: far above any parameter's own limit. */
export const BODY_LIMIT_BYTES = 1_048_576;
