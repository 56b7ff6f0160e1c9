import type { Access, ErrorName } from '#contracts';
import type { z } from 'zod';
import type { FileDeclaration } from './files/file-declaration.js';
import type { Parameter } from './parameters/parameter.js';

type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/**
 * One endpoint of the API, declared once. From this come the route, the sign-in and role it asks for,
 * the parsing of its parameters with their error texts, the list of ignored parameters, and its entry
 * in the OpenAPI document.
 */
export interface EndpointDeclaration<Declared extends Parameters = Parameters> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`; path parameters in braces, and `{name...}` for all the rest. */
  readonly path: string;
  /** For the few whose path is below the server's root instead. */
  readonly isOutsideApi?: boolean;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly access: Access;
  readonly isDeprecated?: boolean;
  readonly parameters: Declared;
  /** The file that it takes; without this, files are passed over. */
  readonly file?: FileDeclaration;
  /** The members of a successful answer beside the envelope's; `file` for a `FileAnswer`. */
  readonly returns: z.ZodObject | 'file';
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
