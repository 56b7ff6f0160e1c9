import {
  type Access,
  type CataloguedError,
  isForServers,
  parameterErrors,
  requestErrors,
  signInErrors,
} from '#platform/contracts';
import { groupBy } from '#platform/core';
import { z } from 'zod';
import { API_PREFIX, type EndpointDeclaration } from '../endpoint.js';
import type { FileDeclaration } from '../files/file-receiver.js';
import type { Parameter } from '../parameters/parameter.js';

const JSON_SCHEMA = { io: 'input', unrepresentable: 'any' } as const;

/** Errors of every endpoint, and errors of every endpoint with a sign-in. */
const everywhere: readonly CataloguedError[] = [
  parameterErrors.invalidParameter,
  parameterErrors.missingParameter,
  requestErrors.rateLimited,
];
const signedIn: readonly CataloguedError[] = [
  signInErrors.notLoggedIn,
  signInErrors.invalidApiKey,
  signInErrors.accountDeactivated,
];

/** The OpenAPI 3.1 document of the endpoints below the prefix of the API. */
export function openApiDocument(
  declarations: readonly EndpointDeclaration[],
  info: { readonly version: string; readonly serverUrl: string },
): Record<string, unknown> {
  const ofApi = declarations.filter(({ isOutsideApi }) => isOutsideApi !== true);
  const byPath = groupBy(ofApi, ({ path }) => path.replace('...}', '}'));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Carillon',
      version: info.version,
      description:
        'The API of a team chat: accounts, channels, user groups, messages, files, emoji, presence, and notifications to phones through Apple and Google.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: info.serverUrl + API_PREFIX }],
    tags: [...new Set(ofApi.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: Object.fromEntries(
      [...byPath].map(([path, declared]) => [
        path,
        Object.fromEntries(declared.map((one) => [one.method.toLowerCase(), operation(one)])),
      ]),
    ),
    components: {
      responses: { OtherError: otherError() },
      securitySchemes: {
        basic: {
          type: 'http',
          scheme: 'basic',
          description:
            "The account's email address as user name and its API key as password; at /remotes the id and the key of a server.",
        },
      },
    },
  };
}

const needsSignIn = (access: Access): boolean => access !== 'anyone' && access !== 'any-server';

function operation(declaration: EndpointDeclaration): Record<string, unknown> {
  const { method, path, summary, tag, access } = declaration;
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[/_{}-]+(\w)/g, (_, letter: string) => letter.toUpperCase()).replaceAll(/[.}]/g, '')}`,
    summary,
    description: withRefused(declaration),
    tags: [tag],
    ...(declaration.isDeprecated ? { deprecated: true } : {}),
    security: needsSignIn(access) ? [{ basic: [] }] : [],
    ...parameterObjects(declaration),
    responses: {
      '200': success(declaration),
      ...errorResponses(declaration),
      default: { $ref: '#/components/responses/OtherError' },
    },
  };
}

const withRefused = ({ description, refuses = [] }: EndpointDeclaration): string =>
  refuses.length === 0
    ? description
    : `${description} A request with one of these parameters is refused: ${refuses.map((name) => `\`${name}\``).join(', ')}.`;

/** Parameters of path, query and headers are listed as `parameters`; all others are fields of a form. */
function parameterObjects(declaration: EndpointDeclaration): Record<string, unknown> {
  const entries = Object.entries(declaration.parameters);
  const placed = entries.map(([name, parameter]) => ({
    name,
    parameter,
    place: placeOf(declaration, name, parameter),
  }));
  const listed = placed.filter(({ place }) => place !== 'form');
  const fields = entries.filter((_, index) => placed[index]?.place === 'form');
  const whole = entries.find(([, { isBody }]) => isBody === true)?.[1];
  if (whole !== undefined) {
    const content = { 'application/json': { schema: schemaOf(whole.schema) } };
    return { requestBody: { ...notesOf(whole), content } };
  }
  return {
    ...(listed.length === 0
      ? {}
      : {
          parameters: listed.map(({ name, parameter, place }) => ({
            name,
            in: place,
            required: place === 'path' || isRequired(parameter),
            ...contentOf(parameter),
          })),
        }),
    ...(fields.length === 0 && declaration.file === undefined
      ? {}
      : { requestBody: { content: formOf(fields, declaration.file) } }),
  };
}

function placeOf(
  { path, method }: EndpointDeclaration,
  name: string,
  { isHeader }: Parameter<unknown>,
): 'header' | 'path' | 'query' | 'form' {
  if (isHeader === true) return 'header';
  if (new RegExp(`\\{${name}(?:\\.{3})?\\}`).test(path)) return 'path';
  return method === 'GET' ? 'query' : 'form';
}

function formOf(
  fields: readonly (readonly [string, Parameter<unknown>])[],
  file: FileDeclaration | undefined,
) {
  const properties = fields.map(([name, parameter]): [string, unknown] => [
    name,
    { ...schemaOf(parameter.schema), ...notesOf(parameter) },
  ]);
  const required = fields.filter(([, parameter]) => isRequired(parameter)).map(([name]) => name);
  if (file !== undefined) {
    const { field, description } = file;
    properties.push([field, { type: 'string', format: 'binary', description }]);
    required.push(field);
  }
  return {
    [file === undefined ? 'application/x-www-form-urlencoded' : 'multipart/form-data']: {
      schema: { type: 'object', properties: Object.fromEntries(properties), required },
      encoding: Object.fromEntries(
        fields
          .filter(([, parameter]) => parameter.encoding === 'json')
          .map(([name]) => [name, { contentType: 'application/json' }]),
      ),
    },
  };
}

const contentOf = (parameter: Parameter<unknown>) =>
  parameter.encoding === 'json'
    ? {
        ...notesOf(parameter),
        content: { 'application/json': { schema: schemaOf(parameter.schema) } },
      }
    : { ...notesOf(parameter), schema: schemaOf(parameter.schema) };

const notesOf = ({ description, isDeprecated }: Parameter<unknown>) => ({
  description,
  ...(isDeprecated ? { deprecated: true } : {}),
});

const isRequired = (parameter: Parameter<unknown>) => parameter.absent === null;

const schemaOf = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, JSON_SCHEMA);
  return rest;
};

function success({ returns }: EndpointDeclaration) {
  if (returns === 'file') {
    const content = { '*/*': { schema: { type: 'string', format: 'binary' } } };
    return { description: 'The file', content };
  }
  const envelope = z.object({
    result: z.literal('success'),
    msg: z.literal(''),
    ignored_parameters_unsupported: z.array(z.string()).optional(),
  });
  return {
    description: 'Success',
    content: {
      'application/json': { schema: schemaOf(envelope.extend(returns.shape)) },
    },
  };
}

function errorResponses(declaration: EndpointDeclaration): Record<string, unknown> {
  const errors = [
    ...everywhere,
    ...(needsSignIn(declaration.access) && !isForServers(declaration.access) ? signedIn : []),
    ...(typeof declaration.access === 'object' ? [declaration.access.error] : []),
    ...(declaration.refuses === undefined ? [] : [parameterErrors.unsupportedParameter]),
    ...declaration.errors,
  ];
  const byStatus = groupBy(errors, ({ status }) => String(status));
  return Object.fromEntries(
    [...byStatus].map(([status, cases]) => [
      status,
      {
        description: cases.map(({ code, msg }) => `${code}: ${msg}`).join('\n\n'),
        content: {
          'application/json': {
            schema: errorSchema,
            examples: Object.fromEntries(cases.map((error) => [error.name, exampleOf(error)])),
          },
        },
      },
    ]),
  );
}

/** Errors that any request can have, whatever its endpoint does. */
const further: readonly CataloguedError[] = [
  requestErrors.notFound,
  requestErrors.methodNotAllowed,
  requestErrors.requestTimedOut,
  requestErrors.bodyTooLarge,
  requestErrors.tooManyMembers,
  requestErrors.unsupportedMediaType,
  requestErrors.internal,
  requestErrors.temporarilyUnavailable,
  requestErrors.insufficientStorage,
];

const otherError = () => ({
  description: `Another error, such as:\n\n${further.map(({ status, code, msg }) => `${status} ${code}: ${msg}`).join('\n\n')}`,
  content: { 'application/json': { schema: errorSchema } },
});

const exampleOf = ({ code, msg }: CataloguedError) => ({ value: { result: 'error', msg, code } });

const errorSchema = {
  type: 'object',
  properties: {
    result: { const: 'error' },
    msg: { type: 'string' },
    code: { type: 'string' },
  },
  required: ['result', 'msg', 'code'],
};
