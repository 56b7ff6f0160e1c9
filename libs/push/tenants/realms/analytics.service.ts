import { Injectable } from '@nestjs/common';
import { ApiError, normalizedHost, requestErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { tenantErrors } from '../tenants.errors.js';
import type { Tenant } from '../servers/tenant.repository.js';
import type { UploadedRealm } from './analytics.schema.js';
import { type PushStatus, pushStatusOf } from './push-status.rules.js';
import {
  type LastRowIds,
  type ReportedRealm,
  TenantRealmRepository,
} from './tenant-realm.repository.js';

const LONGEST_VERSION = 128;
/** Of one server, with those that its last uploads did not have: with new ones in each upload it could fill the disk. */
const MAX_STORED_REALMS = 10_000;
/** Uploads of one server that wait for each other: each holds memory. Servers upload from two or three processes. */
const MAX_WAITING = 4;
/** After this time a server may repeat an upload that met too many others. */
const RETRY_AFTER_SECONDS = 1;

interface Row {
  readonly id: number;
}

/** An upload of a server. */
interface Upload {
  readonly realmCounts: readonly Row[];
  readonly installationCounts: readonly Row[];
  readonly auditLog: readonly (Row & { readonly extra_data?: unknown })[];
  /** Undefined from servers that report no organisations. */
  readonly realms: readonly UploadedRealm[] | undefined;
  readonly version: string | null;
  readonly featureLevel: number | null;
}

/** The reports of servers about themselves and their organisations. */
@Injectable()
export class AnalyticsService {
  /** By server, its uploads that are being stored or wait for it. */
  readonly #waiting = new Map<number, readonly Promise<unknown>[]>();

  constructor(
    private readonly realms: TenantRealmRepository,
    private readonly database: Database,
  ) {}

  /** The last uploaded row of each kind. */
  lastIds({ serverId }: Tenant): Promise<LastRowIds> {
    return this.realms.lastIds(serverId);
  }

  /**
   * Stores an upload; resolves with the status of its organisations by their UUIDs. Uploads of a server take turns, in the
   * order of their arrival, and hold one connection to PostgreSQL. Rejects with ApiError, also when many are waiting.
   */
  async store(server: Tenant, upload: Upload): Promise<Record<string, PushStatus>> {
    refuseMalformedLog(upload.auditLog);
    const { serverId } = server;
    const before = this.#waiting.get(serverId) ?? [];
    if (before.length > MAX_WAITING) {
      throw new ApiError(requestErrors.rateLimited, {}, { 'retry-after': RETRY_AFTER_SECONDS });
    }
    // Another upload may store the same rows while this one waits. That is no fault of this one.
    const last = this.realms.lastIds(serverId);
    const stored = Promise.allSettled([last, before.at(-1)]).then(async () =>
      this.#storeUpload(server, upload, await last),
    );
    this.#waiting.set(serverId, [...before, stored]);
    try {
      return await stored;
    } finally {
      const left = (this.#waiting.get(serverId) ?? []).filter((one) => one !== stored);
      if (left.length > 0) this.#waiting.set(serverId, left);
      else this.#waiting.delete(serverId);
    }
  }

  /** `last`: the last rows when the upload arrived. */
  #storeUpload(
    server: Tenant,
    upload: Upload,
    last: LastRowIds,
  ): Promise<Record<string, PushStatus>> {
    return this.database.transaction(async (transaction) => {
      await this.realms.reportServer(transaction, server.serverId, {
        version: upload.version?.slice(0, LONGEST_VERSION) ?? null,
        featureLevel: upload.featureLevel,
        realmCount: lastIdOf(upload.realmCounts, last.realmCount),
        installationCount: lastIdOf(upload.installationCounts, last.installationCount),
        auditLog: lastIdOf(upload.auditLog, last.auditLog),
      });
      return upload.realms === undefined
        ? {}
        : this.#storeRealms(transaction, server, upload.realms);
    });
  }

  async #storeRealms(
    transaction: Transaction,
    server: Tenant,
    uploaded: readonly UploadedRealm[],
  ): Promise<Record<string, PushStatus>> {
    const reported = uploaded.map(toReportedRealm);
    if (new Set(reported.map(({ uuid }) => uuid)).size < reported.length) {
      throw new ApiError(tenantErrors.duplicateRealm);
    }
    const stored = await this.realms.report(transaction, server.serverId, reported);
    if (stored.length < reported.length) throw new ApiError(tenantErrors.duplicateRealm);
    const { serverId } = server;
    const limit = MAX_STORED_REALMS + 1;
    if ((await this.realms.count(transaction, serverId, limit)) > MAX_STORED_REALMS) {
      throw new ApiError(tenantErrors.tooManyRemoteRealms);
    }
    return Object.fromEntries(stored.map((realm) => [realm.uuid, pushStatusOf([server, realm])]));
  }
}

const toReportedRealm = (realm: UploadedRealm): ReportedRealm => ({
  uuid: realm.uuid.toLowerCase(),
  ownerSecret: realm.uuid_owner_secret,
  host: normalizedHost(realm.host) ?? realm.host,
  url: realm.url,
  name: realm.name,
  orgType: realm.org_type,
  isDeactivated: realm.deactivated,
  createdAt: realm.date_created,
});

/** The last id of some rows, whose ids rise from the one before. Throws ApiError. */
function lastIdOf(rows: readonly Row[], before: number): number {
  let last = before;
  for (const { id } of rows) {
    if (id <= last) throw new ApiError(tenantErrors.rowsOutOfOrder);
    last = id;
  }
  return last;
}

function refuseMalformedLog(rows: Upload['auditLog']): void {
  for (const { extra_data: extraData } of rows) {
    if (typeof extraData !== 'string') continue;
    try {
      JSON.parse(extraData);
    } catch {
      throw new ApiError(tenantErrors.malformedAuditLog);
    }
  }
}
