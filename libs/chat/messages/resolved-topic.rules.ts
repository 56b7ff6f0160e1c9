/** Clients mark a resolved topic with this prefix. */
export const RESOLVED_TOPIC_PREFIX = '✔ ';
