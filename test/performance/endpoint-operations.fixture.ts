import { endpointsOf, openApiDocument } from '#platform/http';
import { tenantsEndpoints } from '#push/tenants/endpoints';
import { commonEndpoints } from '../../apps/api-gateway/src/api-gateway.module.js';

/** The used part of a parameter's schema. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly (string | number)[];
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** A parameter of an endpoint. */
export interface Field {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header' | 'form';
  readonly isRequired: boolean;
  /** Whether the value is encoded as JSON. */
  readonly isJson: boolean;
  readonly schema: Schema;
}

/** An endpoint as the OpenAPI document describes it. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  /** Relative to the prefix of the API, with `{name}` for a parameter. */
  readonly path: string;
  readonly fields: readonly Field[];
  readonly isMultipart: boolean;
}

/** Whether an endpoint is for the servers of other installations. */
export const isForServers = ({ path }: Pick<Operation, 'path'>): boolean =>
  path.startsWith('/remotes/');

/** Every endpoint of the API, from the OpenAPI document of the declarations. */
export function operations(): Operation[] {
  const document = openApiDocument(endpointsOf([...commonEndpoints, tenantsEndpoints]), {
    version: '',
    serverUrl: '',
  });
  // The used part of an OpenAPI document.
  const { paths } = document as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, described]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      fields: [...placedFields(described), ...formFields(described)],
      isMultipart: MULTIPART in (described.requestBody?.content ?? {}),
    })),
  );
}

const MULTIPART = 'multipart/form-data';
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

interface Described {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required: boolean;
    readonly schema?: Schema;
    readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: {
            readonly properties: Readonly<Record<string, Schema>>;
            readonly required?: readonly string[];
          };
          readonly encoding?: Readonly<Record<string, unknown>>;
        }
      >
    >;
  };
}

const placedFields = ({ parameters = [] }: Described): Field[] =>
  parameters.map(({ name, in: place, required, schema, content }) => ({
    name,
    place,
    isRequired: required,
    isJson: schema === undefined,
    schema: schema ?? content?.[JSON_TYPE]?.schema ?? {},
  }));

function formFields({ requestBody }: Described): Field[] {
  // The members of a whole body in JSON are like fields of a form.
  const form = requestBody?.content[FORM] ?? requestBody?.content[JSON_TYPE];
  if (form === undefined) return [];
  return Object.entries(form.schema.properties).map(([name, schema]) => ({
    name,
    place: 'form',
    isRequired: form.schema.required?.includes(name) ?? false,
    isJson: form.encoding === undefined || name in form.encoding,
    schema,
  }));
}
