import { describe, expect, it } from '@jest/globals';
import { endpointsOf } from '#platform/http';
import { tenantsEndpoints } from '#push/tenants/endpoints';
import { z } from 'zod';
import { commonEndpoints } from './api-gateway.module.js';

/** The part of a JSON schema that limits the size of a value. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly anyOf?: readonly Shape[];
}

/** Parameters whose size is limited in code instead of the schema, with the location of the check. */
const limitedElsewhere: ReadonlySet<string> = new Set([
  // libs/directory/profile-fields: at most 500 choices, each with a maximum length.
  'POST /realm/profile_fields field_data',
  // libs/events/register: at most 20 pairs of texts, each with a maximum length.
  'POST /register narrow[]',
  // libs/chat/messages/narrows: at most 20 terms, each with a maximum length.
  'GET /messages narrow[]',
  'GET /messages/matches_narrow narrow[]',
  'POST /messages/flags/narrow narrow[]',
  // libs/chat/bot-storage: at most 1000 texts, each with a maximum length, as their keys.
  'PUT /bot_storage storage',
  // libs/push/tenants: at most as many members as the body may have; they are not stored.
  'POST /remotes/server/analytics realmauditlog_rows[].extra_data',
  'POST /remotes/server/analytics realms[].authentication_methods',
  // libs/push/tenants: at most as large as the body; nothing above 4 KiB is stored.
  'POST /remotes/push/notify request.gcm_payload',
  'POST /remotes/push/notify request.apns_payload',
  'POST /remotes/push/notify request.gcm_options',
  'POST /remotes/push/test_notification request.base_payload',
  // 255 printable characters, limited by a pattern.
  'POST /messages Idempotency-Key',
  'POST /mobile_push/test_notification Idempotency-Key',
]);

/** The reasons why a value has no size limit; empty for a limited value. */
function unbounded(shape: Shape, place: string): string[] {
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap((one) => unbounded(one, place));
  if (Array.isArray(shape.type)) {
    return shape.type.flatMap((type: string) => unbounded({ ...shape, type }, place));
  }
  if (shape.enum !== undefined || 'const' in shape) return [];
  switch (shape.type) {
    case 'boolean':
    case 'null':
      return [];
    case 'integer':
    case 'number':
      return shape.maximum === undefined || shape.minimum === undefined
        ? [`${place}: any number`]
        : [];
    case 'string':
      return shape.maxLength === undefined ? [`${place}: a text of any length`] : [];
    case 'array':
      return [
        ...(shape.maxItems === undefined ? [`${place}: a list of any length`] : []),
        ...unbounded(shape.items ?? {}, `${place}[]`),
      ];
    case 'object':
      return shape.properties === undefined
        ? [`${place}: an object of any size`]
        : Object.entries(shape.properties).flatMap(([name, one]) =>
            unbounded(one, `${place}.${name}`),
          );
    default:
      return [`${place}: anything`];
  }
}

/** Empty if the schema of the sent text or the schema of the parsed value limits the size. */
function faultsOf(schema: z.ZodType, place: string): string[] {
  const [sent, parsed] = (['input', 'output'] as const).map((io) =>
    unbounded(z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Shape, place),
  );
  return sent?.length === 0 ? [] : (parsed ?? []);
}

describe('Every endpoint', () => {
  it('limits the length of every text parameter and every list parameter', () => {
    const faults = endpointsOf([...commonEndpoints, tenantsEndpoints]).flatMap(
      ({ method, path, parameters }) =>
        Object.entries(parameters).flatMap(([name, { schema }]) =>
          faultsOf(schema, `${method} ${path} ${name}`),
        ),
    );
    expect(faults.filter((fault) => !limitedElsewhere.has(fault.split(': ')[0] ?? ''))).toEqual([]);
  });
});
