import type { ErrorName } from '#contracts';
import type { z } from 'zod';
import type { Parameter } from './parameters/parameter.js';

/** Who may call an endpoint. */
export type Access = 'anyone' | 'user' | 'member' | 'administrator';

type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/**
 * One endpoint of the API, declared once. From this come the route, the sign-in and role it asks for,
 * the parsing of its parameters with their error texts, the list of ignored parameters, and its entry
 * in the OpenAPI document.
 */
export interface EndpointDeclaration<Declared extends Parameters = Parameters> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`; path parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly access: Access;
  readonly isDeprecated?: boolean;
  readonly parameters: Declared;
  /** The members of a successful answer beside the envelope's. */
  readonly returns: z.ZodObject;
  /** The errors of its own that it answers with, beside those of every endpoint. */
  readonly errors: readonly ErrorName[];
}

/** The parsed parameters of an endpoint, as its route receives them. */
export type ParametersOf<Declaration> =
  Declaration extends EndpointDeclaration<infer Declared>
    ? {
        readonly [Name in keyof Declared]: Declared[Name] extends Parameter<infer Value>
          ? Value
          : never;
      }
    : never;

/** Declares an endpoint; keeps the types of its parameters. */
export const endpoint = <const Declared extends Parameters>(
  declaration: EndpointDeclaration<Declared>,
): EndpointDeclaration<Declared> => declaration;
