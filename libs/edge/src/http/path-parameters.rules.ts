import { ApiError } from '#contracts';
import type { EndpointDeclaration } from '../endpoint.js';

/**
 * Refuses a path whose place for a number holds none: no endpoint has that path. Throws ApiError
 * `notFound`.
 */
export function refuseForeignPath(declaration: EndpointDeclaration, path: unknown): void {
  if (typeof path !== 'object' || path === null) return;
  for (const [name, given] of Object.entries(path)) {
    const isNumber = declaration.parameters[name]?.encoding === 'json';
    if (isNumber && !/^(?:0|[1-9]\d*)$/.test(String(given))) throw new ApiError('notFound');
  }
}
