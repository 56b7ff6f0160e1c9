import { encodeForm } from '#test/api-client';
import type { OutgoingRequest } from '#test/http-request';
import type { Field, Operation } from './endpoint-operations.fixture.js';

/** Slightly below the limits of the server, in bytes. */
const LARGEST_BODY = 1_000_000;
const LARGEST_HEADER = 14_000;
const LARGEST_PATH_PART = 500;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Valid values by parameter name, with which a request passes the first checks. */
type Values = Readonly<Record<string, string>>;

export interface SizedRequest extends OutgoingRequest {
  readonly method: string;
  readonly path: string;
}

/** A request of variable size; `of` builds it for a share of the largest size. */
export interface Input {
  readonly name: string;
  readonly isSignedIn: boolean;
  readonly of: (share: number, values: Values) => SizedRequest;
}

/** The inputs of an endpoint that depend on these of its parameters. */
export const inputsOfFields = (operation: Operation, fields: readonly Field[]): Input[] =>
  fields.flatMap((field) => fieldInputs(operation, field));

/** The inputs that code before the endpoint handles: its whole body, its query and its headers. */
export const inputsOfRequest = (operation: Operation): Input[] => [
  ...queryInputs(operation),
  ...headerInputs(operation),
  ...(operation.method === 'GET' ? [] : bodyInputs(operation, BODIES_OF_KEYS)),
];

const TEXTS = [' ', '.', '\u00a0', '[a]('];

function fieldInputs(operation: Operation, field: Field): Input[] {
  const values = valuesFor(field);
  return values.map(([kind, make]) => ({
    name: `${field.name} of ${kind}`,
    isSignedIn: true,
    of: (share, samples) => {
      const size = share * largestOf(field);
      return requestOf(operation, { ...samples, [field.name]: make(size, field) }, [field.name]);
    },
  }));
}

function valuesFor({ isJson, schema }: Field): readonly (readonly [string, MakeText])[] {
  if (!isJson) return plainTexts;
  return schema.type === 'array' || schema.type === 'object'
    ? [...jsonTexts, ...jsonLists]
    : jsonTexts;
}

/** The size in bytes. */
function largestOf({ place }: Field): number {
  if (place === 'form') return LARGEST_BODY;
  return place === 'path' ? LARGEST_PATH_PART : LARGEST_HEADER;
}

type MakeText = (bytes: number, field: Field) => string;

const plainTexts = TEXTS.map((unit): [string, MakeText] => [
  JSON.stringify(unit),
  (bytes, { place, schema }) => {
    // Header values have no escape sequence.
    const length = place === 'header' ? 1 : encodeURIComponent(unit).length;
    const most = (schema.maxLength ?? bytes) / unit.length;
    return (place === 'header' ? '.' : unit).repeat(Math.max(1, Math.min(bytes / length, most)));
  },
]);

/** As many items as fit, each of at most this encoded size in bytes. */
const items = (bytes: number, itemBytes: number, field: Field, make: (index: number) => string) =>
  Array.from(
    { length: Math.min(bytes / itemBytes, field.schema.maxItems ?? Number.POSITIVE_INFINITY) },
    (_, index) => make(index),
  ).join(',');

const jsonTexts: readonly [string, MakeText][] = [
  ['digits', (bytes) => '1'.repeat(bytes)],
  ['backslashes', (bytes) => `"${'\\\\'.repeat(bytes / 6 - 2)}"`],
];

const jsonLists: readonly [string, MakeText][] = [
  ['numbers', (bytes, field) => `[${items(bytes, 10, field, (index) => String(index + 1))}]`],
  ['texts', (bytes, field) => `[${items(bytes, 11, field, () => '"a"')}]`],
  ['objects', (bytes, field) => `[${items(bytes, 40, field, (index) => `{"id":${index}}`)}]`],
  ['keys', (bytes, field) => `{${items(bytes, 22, field, (index) => `"k${index}":"1"`)}}`],
  ['brackets', (bytes) => '['.repeat(bytes / 3)],
];

function queryInputs(operation: Operation): Input[] {
  return [
    {
      name: 'a query of many parameters',
      isSignedIn: true,
      of: (share, samples) => {
        const { path, ...request } = requestOf(operation, samples);
        const query = formOfKeys(share * LARGEST_HEADER);
        return { ...request, path: `${path}${path.includes('?') ? '&' : '?'}${query}` };
      },
    },
  ];
}

const HEADERS: readonly (readonly [name: string, before: string, unit: string])[] = [
  ['authorization', 'Basic ', 'A'],
  ['authorization', 'Basic', ' '],
  ['accept-encoding', '', 'gzip;q=0.1,'],
  ['content-type', 'multipart/form-data; boundary=a', ';a="'],
  ['cookie', 'a=b', '; a=b'],
  ['range', 'bytes=0-1', ',0-1'],
  ['user-agent', 'a', '/ a'],
  ['x-forwarded-for', '10.0.0.1', ', 10.0.0.1'],
];

const headerInputs = (operation: Operation): Input[] =>
  HEADERS.map(([name, before, unit]) => ({
    name: `the header ${name} of ${JSON.stringify(unit)}`,
    isSignedIn: name !== 'authorization',
    of: (share, samples) => {
      const { headers, ...request } = requestOf(operation, samples);
      const value = `${before}${unit.repeat((share * LARGEST_HEADER) / unit.length)}x`;
      return { ...request, headers: { ...headers, [name]: value } };
    },
  }));

type Body = readonly [
  kind: string,
  headers: Readonly<Record<string, string>>,
  make: (bytes: number) => string,
];

const BODIES_OF_KEYS: readonly Body[] = [
  ['JSON of many keys', JSON_TYPE, (bytes) => jsonOfKeys(bytes)],
  ['a form of many parameters', FORM, (bytes) => formOfKeys(bytes)],
];

/** Inputs that do not depend on the parameters of the endpoint. */
const ALL_BODIES: readonly Body[] = [
  ...BODIES_OF_KEYS,
  ['JSON of many lists', JSON_TYPE, (bytes) => `{"a":${'['.repeat(bytes / 2)}}`],
  ['JSON of a long text', JSON_TYPE, (bytes) => `{"a":"${'\\\\'.repeat(bytes / 2)}"}`],
  ['a form of separators', FORM, (bytes) => '&'.repeat(bytes)],
  ['a form of escapes', FORM, (bytes) => `a=${'%41'.repeat(bytes / 3)}`],
  ['no known type', { 'content-type': 'text/plain' }, (bytes) => 'a'.repeat(bytes)],
];

export const bodyInputs = (
  { method, path }: Pick<Operation, 'method' | 'path'>,
  bodies: readonly Body[] = ALL_BODIES,
): Input[] =>
  bodies.flatMap(([kind, headers, make]) =>
    [true, false].map((isSignedIn) => ({
      name: `a body, ${kind}${isSignedIn ? '' : ', without sign-in'}`,
      isSignedIn,
      of: (share: number, samples: Values) => ({
        method,
        path: filledPath(path, samples),
        headers,
        body: Buffer.from(make(share * LARGEST_BODY - 20)),
      }),
    })),
  );

const jsonOfKeys = (bytes: number): string =>
  `{${Array.from({ length: bytes / 12 }, (_, index) => `"k${index}":1`).join(',')}}`;

const formOfKeys = (bytes: number): string =>
  Array.from({ length: bytes / 9 }, (_, index) => `k${index}=1`).join('&');

/** A request with all required parameters and the named ones. */
function requestOf(
  operation: Operation,
  values: Values,
  named: readonly string[] = [],
): SizedRequest {
  const given = (place: Field['place']) =>
    Object.fromEntries(
      operation.fields
        .filter(
          (field) => field.place === place && (field.isRequired || named.includes(field.name)),
        )
        .map((field) => [field.name, values[field.name] ?? sampleOf(field)]),
    );
  const query = encodeForm(given('query'));
  const path = filledPath(operation.path, values);
  return {
    method: operation.method,
    path: query === '' ? path : `${path}?${query}`,
    headers: { ...(operation.method === 'GET' ? {} : FORM), ...given('header') },
    ...(operation.method === 'GET' ? {} : { body: encodeForm(given('form')) }),
  };
}

const filledPath = (path: string, values: Values): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? '1'));

function sampleOf({ isJson, schema }: Field): string {
  if (schema.enum?.[0] !== undefined) return String(schema.enum[0]);
  if (!isJson) return 'x';
  switch (schema.type) {
    case 'array':
      return '[]';
    case 'object':
      return '{}';
    case 'boolean':
      return 'true';
    default:
      return '1';
  }
}
