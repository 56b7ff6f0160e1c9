import { Inject, Injectable, Logger } from '@nestjs/common';
import { reportedVersion } from '#platform/contracts';
import { realmHost, realmUrl } from '#platform/core';
import { serviceRetryDelayMs } from '../retry-delay.js';
import {
  PushServiceClient,
  RELAY_SETTINGS,
  type RelaySettings,
  UPLOAD_DEADLINE_MS,
} from '../push-service-client.js';
import { RealmPushStatuses, realmStatusesIn } from './realm-push-statuses.js';
import { RealmUploadRepository, type UploadedRealm } from './realm-upload.repository.js';
import { faultText, type FailedAnswer, type ServiceAnswer } from '../service-answer.rules.js';

/** Longer than both requests of an upload. */
const LEASE_MS = 200_000;
const REPEAT_MS = 3_600_000;
/** The switch goes off when an upload fails and neither uploads nor notifications have succeeded for this long. */
const SWITCH_OFF_AFTER_MS = 3_600_000;
/** Failures of single requests cause an upload no more often than this. */
const MIN_UPLOAD_INTERVAL_MS = 60_000;
/** Several workers start at the same time. */
const START_PAUSE_MS = 10_000;

/** Uploads the organisations to the push service: hourly, and when one was made, renamed or deactivated. */
@Injectable()
export class RealmUploads {
  readonly #logger = new Logger(RealmUploads.name);

  constructor(
    private readonly client: PushServiceClient,
    private readonly uploads: RealmUploadRepository,
    private readonly statuses: RealmPushStatuses,
    @Inject(RELAY_SETTINGS) private readonly settings: RelaySettings,
  ) {}

  /**
   * The service does not know an organisation: it gets an upload, a minute after the previous one at the earliest, and no
   * sooner than the repetition of a failed one. Rejects when PostgreSQL is down.
   */
  async requestUpload(): Promise<void> {
    await this.uploads.requestUpload(LEASE_MS, MIN_UPLOAD_INTERVAL_MS, { afterFailure: false });
  }

  /**
   * Called when a worker starts: the operator may have corrected the cause of a failure. Rejects when PostgreSQL is down.
   */
  async requestUploadAtStart(): Promise<void> {
    await this.uploads.requestUpload(LEASE_MS, START_PAUSE_MS, { afterFailure: true });
  }

  /** Uploads if an upload is due, or the organisations have changed. Rejects when PostgreSQL is down. */
  async run(): Promise<void> {
    const claimed = await this.uploads.claim(LEASE_MS, SWITCH_OFF_AFTER_MS);
    if (claimed === null) return;
    const answer = await this.#upload(await this.uploads.list());
    if (answer.kind === 'ok') {
      await this.statuses.storeUploaded(realmStatusesIn(answer.body['realms']), {
        change: claimed.change,
        repeatMs: REPEAT_MS,
      });
      return;
    }
    await this.#failed(answer, claimed.attempts + 1, claimed.hasWorked);
  }

  async #upload(realms: readonly UploadedRealm[]): Promise<ServiceAnswer> {
    const status = await this.client.get('/server/analytics/status', UPLOAD_DEADLINE_MS);
    if (status.kind !== 'ok') return status;
    const fields = {
      realm_counts: [],
      installation_counts: [],
      realms: realms.map((realm) => this.#entryOf(realm)),
      version: reportedVersion.zulip_version,
      merge_base: reportedVersion.zulip_merge_base,
      api_feature_level: reportedVersion.zulip_feature_level,
    };
    const form = Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]);
    return this.client.postForm('/server/analytics', Object.fromEntries(form), UPLOAD_DEADLINE_MS);
  }

  #entryOf(realm: UploadedRealm) {
    const external = new URL(this.settings.externalUrl);
    return {
      id: realm.id,
      uuid: realm.uuid,
      uuid_owner_secret: realm.ownerSecret,
      host: realmHost(external, realm.subdomain),
      url: realmUrl(external, realm.subdomain),
      name: realm.name,
      org_type: 0,
      date_created: realm.createdAt.getTime() / 1000,
      deactivated: realm.isDeactivated,
      is_system_bot_realm: false,
      authentication_methods: {},
    };
  }

  async #failed(answer: FailedAnswer, attempts: number, hasWorked: boolean): Promise<void> {
    this.#logger.error(`The organisations were not uploaded: ${faultText(answer)}`);
    await this.uploads.fail(serviceRetryDelayMs(attempts, answer));
    if (answer.kind === 'server_error') return;
    if (!hasWorked) await this.statuses.switchOff(null);
  }
}
