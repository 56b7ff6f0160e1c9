import type { Access, CataloguedError } from '#platform/contracts';
import type { z } from 'zod';
import type { FileDeclaration } from './files/file-receiver.js';
import type { Parameter } from './parameters/parameter.js';

/** The most bytes of a response of most endpoints that the limits of one account allow. */
export const LARGEST_ANSWER_BYTES = 1_000_000;

type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/**
 * The declaration of one endpoint. It defines the route, the required sign-in and role, the parsing of the parameters
 * with their error texts, the list of ignored parameters, and the entry in the OpenAPI document.
 */
export interface EndpointDeclaration<Declared extends Parameters = Parameters> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`. Path parameters are in braces; `{name...}` matches the rest of the path. */
  readonly path: string;
  /** The path is below the root of the server instead. */
  readonly isOutsideApi?: boolean;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly access: Access;
  readonly isDeprecated?: boolean;
  /** The endpoint charges a rate limit of its own, instead of that of the account. */
  readonly chargesOwnLimit?: boolean;
  /** The endpoint charges the limit of uploads of a server in place of that of requests, before the body is read. */
  readonly chargesUploadLimit?: boolean;
  readonly parameters: Declared;
  /**
   * Parameters of the field's API that ask for something that this server does not do. A request with one of them is
   * refused: without this it would succeed, and only list the parameter as ignored.
   */
  readonly refuses?: readonly string[];
  /** The largest body, in place of the common limit, and the error for a larger one. */
  readonly body?: { readonly limitBytes: number; readonly tooLarge: CataloguedError };
  /** The file that the endpoint accepts; without it, files are ignored. */
  readonly file?: FileDeclaration;
  /**
   * The most bytes of a successful response that the limits of one account allow; LARGEST_ANSWER_BYTES by default. Lists
   * that grow with the organisation have none.
   */
  readonly largestAnswerBytes?: number;
  /** The requests of an account wait for each other, because reading and making an answer may take much memory. */
  readonly takesAnswerSlot?: boolean;
  /** The members of a successful response besides the envelope; `file` for a `FileAnswer`. */
  readonly returns: z.ZodObject | 'file';
  /** The errors of this endpoint besides the errors of every endpoint. */
  readonly errors: readonly CataloguedError[];
}

/** The types of the parsed parameters of an endpoint. */
export type ParametersOf<Declaration> =
  Declaration extends EndpointDeclaration<infer Declared>
    ? {
        readonly [Name in keyof Declared]: Declared[Name] extends Parameter<infer Value>
          ? Value
          : never;
      }
    : never;

/** Declares an endpoint and keeps the types of its parameters. */
export const endpoint = <const Declared extends Parameters>(
  declaration: EndpointDeclaration<Declared>,
): EndpointDeclaration<Declared> => declaration;

/** The path above all declared endpoints. */
export const API_PREFIX = '/api/v1';

/** Whether a path, with or without a query, is below the prefix. */
export const isBelowApi = (path: string): boolean =>
  path.startsWith(API_PREFIX) && /^(?:[/?]|$)/.test(path.slice(API_PREFIX.length));

interface PlacedEndpoint {
  readonly path: string;
  readonly isOutsideApi?: boolean | undefined;
}

const REST = /\{(\w+)\.\.\.\}$/;

/** The path of an endpoint in the syntax of the router: `{id}` becomes `:id`, `{rest...}` becomes `*`. */
export const routePathOf = ({ path, isOutsideApi }: PlacedEndpoint): string =>
  (isOutsideApi === true ? '' : API_PREFIX) +
  path.replace(REST, '*').replaceAll(/\{(\w+)\}/g, ':$1');

/** The name of the parameter `{name...}` of a path, if any. */
export const restNameOf = (path: string): string | undefined => REST.exec(path)?.[1];
