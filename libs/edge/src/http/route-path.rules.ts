/** Below this lie all declared endpoints. */
export const API_PREFIX = '/api/v1';

/** The path of a declared endpoint as the router takes it: `{id}` is `:id` there. */
export const routePathOf = (path: string): string =>
  API_PREFIX + path.replaceAll(/\{(\w+)\}/g, ':$1');
