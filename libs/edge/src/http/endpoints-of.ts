import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import type { EndpointDeclaration } from '../endpoint.js';
import { ENDPOINT } from './endpoint.decorator.js';
import { routePathOf } from './route-path.rules.js';

/**
 * The endpoints that the controllers' routes declare, in their order. Throws when two routes declare
 * the same method and path.
 */
export function endpointsOf(controllers: readonly Type[]): EndpointDeclaration[] {
  const declarations = controllers.flatMap((controller) =>
    Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object)).flatMap(
      ({ value }): EndpointDeclaration[] =>
        typeof value === 'function' && Reflect.hasMetadata(ENDPOINT, value)
          ? [Reflect.getMetadata(ENDPOINT, value) as EndpointDeclaration]
          : [],
    ),
  );
  const seen = new Set<string>();
  for (const declaration of declarations) {
    const route = `${declaration.method} ${routePathOf(declaration)}`;
    if (seen.has(route))
      throw new Error(`${declaration.method} ${declaration.path} is declared twice`);
    seen.add(route);
  }
  return declarations;
}
