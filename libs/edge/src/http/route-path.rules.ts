/** Below this lie all declared endpoints. */
export const API_PREFIX = '/api/v1';

interface PlacedEndpoint {
  readonly path: string;
  readonly isOutsideApi?: boolean | undefined;
}

const REST = /\{(\w+)\.\.\.\}$/;

/** The path of a declared endpoint as the router takes it: `{id}` is `:id` there, `{rest...}` is `*`. */
export const routePathOf = ({ path, isOutsideApi }: PlacedEndpoint): string =>
  (isOutsideApi === true ? '' : API_PREFIX) +
  path.replace(REST, '*').replaceAll(/\{(\w+)\}/g, ':$1');

/** The name that stands for the rest of a path, if one does. */
export const restNameOf = (path: string): string | undefined => REST.exec(path)?.[1];
