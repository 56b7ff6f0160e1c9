import { MEBIBYTE } from '#platform/contracts';
import { endpoint, json, limitedText } from '#platform/http';
import { z } from 'zod';
import { tenantErrors } from '../tenants.errors.js';
import { serverSignInErrors } from '../servers/servers.schema.js';
import { isCanonicalV4 } from '../servers/tenant-credentials.rules.js';
import { pushStatus } from './push-status.rules.js';

/** The most rows of a kind that a server sends in one request. */
const MAX_ROWS = 10_000;
/** Validating more of them would hold up other requests for too long. */
const MAX_REALMS = 5000;
/** Three kinds of rows with that limit, and the organisations. */
const MEMBER_LIMIT = 300_000;
const BODY_LIMIT_BYTES = 16 * MEBIBYTE;
const LONGEST_TEXT = 2048;
const LONGEST_NAME = 1000;
const LONGEST_EXTRA_DATA = 100_000;
const LATEST_SECONDS = 253_402_300_799;

/** The kinds of organisations that servers know. */
const ORG_TYPES: ReadonlySet<number> = new Set([
  0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000,
]);

const common = { tag: 'push service', access: 'server' } as const;

const rowId = z.int().min(0);
const seconds = z.number().min(0).max(LATEST_SECONDS);
const count = { id: rowId, end_time: seconds, value: z.int() };
const countText = limitedText(LONGEST_TEXT);

const installationCount = z.object({
  ...count,
  property: countText,
  subgroup: countText.nullable().optional(),
});

const realmCount = installationCount.extend({ realm: z.int() });

const auditLogRow = z.object({
  id: rowId,
  realm: z.int(),
  event_time: seconds,
  backfilled: z.boolean(),
  extra_data: z
    .union([limitedText(LONGEST_EXTRA_DATA), z.record(z.string(), z.unknown())])
    .nullable()
    .optional()
    .meta({ type: ['string', 'object', 'null'], maxLength: LONGEST_EXTRA_DATA }),
  event_type: z.int(),
});

const realm = z.strictObject({
  id: z.int(),
  uuid: limitedText(36).refine((uuid) => isCanonicalV4(uuid.toLowerCase()), 'Invalid UUID'),
  uuid_owner_secret: limitedText(LONGEST_NAME),
  host: limitedText(LONGEST_NAME),
  url: limitedText(LONGEST_TEXT),
  name: limitedText(LONGEST_NAME).default(''),
  org_type: z
    .int()
    .refine((type) => ORG_TYPES.has(type), 'Not a valid org_type value')
    .default(0),
  is_system_bot_realm: z.boolean().default(false),
  authentication_methods: z.record(limitedText(100), z.boolean()).default({}),
  date_created: seconds,
  deactivated: z.boolean(),
});

export type UploadedRealm = z.output<typeof realm>;

export const readAnalyticsStatus = endpoint({
  ...common,
  method: 'GET',
  path: '/remotes/server/analytics/status',
  summary: 'Read which rows a server has uploaded',
  description: 'Returns the last id of each kind of rows; 0 without one.',
  chargesUploadLimit: true,
  parameters: {},
  returns: z.object({
    last_realm_count_id: z.int(),
    last_installation_count_id: z.int(),
    last_realmauditlog_id: z.int(),
  }),
  errors: serverSignInErrors,
});

export const uploadAnalytics = endpoint({
  ...common,
  method: 'POST',
  path: '/remotes/server/analytics',
  summary: 'Report a server and its organisations',
  description:
    'Stores the organisations, the version and the level of a server. Organisations that are missing from the list count as deleted. Of statistics only the last ids are kept.',
  body: { limitBytes: BODY_LIMIT_BYTES, tooLarge: tenantErrors.uploadTooLarge },
  chargesUploadLimit: true,
  parameters: {
    realm_counts: json(z.array(realmCount).max(MAX_ROWS), {
      description: 'Statistics of organisations.',
      memberLimit: MEMBER_LIMIT,
    }),
    installation_counts: json(z.array(installationCount).max(MAX_ROWS), {
      description: 'Statistics of the server.',
      memberLimit: MEMBER_LIMIT,
    }),
    realmauditlog_rows: json(z.array(auditLogRow).max(MAX_ROWS).optional(), {
      description: 'Changes of organisations.',
      memberLimit: MEMBER_LIMIT,
    }),
    realms: json(z.array(realm).max(MAX_REALMS).optional(), {
      description: 'All organisations of the server.',
      memberLimit: MEMBER_LIMIT,
    }),
    version: json(limitedText(LONGEST_TEXT).nullable().optional(), {
      description: 'The version of the server.',
    }),
    merge_base: json(limitedText(LONGEST_TEXT).nullable().optional(), {
      description: 'Ignored.',
    }),
    api_feature_level: json(z.int().min(0).max(1_000_000).nullable().optional(), {
      description: 'The level of the server.',
    }),
  },
  returns: z.object({
    realms: z
      .record(z.string(), pushStatus)
      .meta({ description: 'Whether each organisation of the request may notify, by its UUID.' }),
  }),
  errors: [
    ...serverSignInErrors,
    tenantErrors.duplicateRealm,
    tenantErrors.tooManyRemoteRealms,
    tenantErrors.rowsOutOfOrder,
    tenantErrors.malformedAuditLog,
    tenantErrors.uploadTooLarge,
  ],
});
