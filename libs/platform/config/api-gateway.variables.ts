import path from 'node:path';
import { MEBIBYTE } from '#platform/contracts';
import { z } from 'zod';
import { allOrNone } from './read-variables.js';
import {
  fileOf,
  filePath,
  flag,
  listenHost,
  networks,
  port,
  rateRules,
  urlOf,
  wholeNumber,
} from './variable-types.js';

export const httpVariables = {
  HOST: listenHost.default('127.0.0.1').meta({ description: '`0.0.0.0` inside a container.' }),
  PORT: port.default(9991).meta({ description: 'The API, the API pages and `/health`.' }),
  EXTERNAL_URL: urlOf('http', 'https').optional().meta({
    isShared: true,
    byDefault: '`http://127.0.0.1:PORT`',
    description:
      "Where clients reach this server. Its host decides which organisation a request's `Host` names. `GET /server_settings` reports it, and apps send every later request there.",
  }),
  TRUSTED_PROXIES: networks.default([]).meta({
    description:
      'Proxies whose `X-Forwarded-For` is believed, and whose connections are not bounded by `HTTP_MAX_CONNECTIONS_PER_ADDRESS`. Without it every client behind a proxy shares the rate limit and the connections of the proxy.',
  }),
  REQUEST_LOG: z
    .enum(['none', 'failed', 'all'], { message: 'expected none, failed or all' })
    .default('none')
    .meta({
      description:
        'The requests that get an [entry in the log](observability.md#request-log), at the level `log`: none, those with a status of 400 or above, or all.',
    }),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 300).default(0).meta({
    byDefault: '`0`; 5 in the image',
    description:
      'How long a gateway that was asked to stop [keeps answering](operations.md#restarting-behind-a-balancer), with `/health/ready` 503: longer than a balancer takes to notice.',
  }),
  HTTP_BODY_SECONDS: wholeNumber(1, 600).default(30).meta({
    description:
      'The time in which the body of a request must arrive; otherwise the answer is 408. Uploads of files may take up to an hour, but must not stall for a minute.',
  }),
  HTTP_SEND_STALL_SECONDS: wholeNumber(1, 600).default(60).meta({
    description:
      'The connection of a client that reads nothing of its response for this time is closed.',
  }),
  HTTP_KEEP_ALIVE_SECONDS: wholeNumber(1, 3600).default(72).meta({
    description:
      'How long a connection without a request is kept. Behind a load balancer it must be longer than the idle time-out of the balancer.',
  }),
  HTTP_MAX_CONNECTIONS: wholeNumber(10, 1_000_000).default(10_000).meta({
    description:
      'The most open connections of one gateway; further ones are closed immediately. The limit of open files of the process must be higher.',
  }),
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(1, 1_000_000).default(1000).meta({
    description:
      'The same for one IPv4 address or one IPv6 /64 network. It does not apply to `TRUSTED_PROXIES`.',
  }),
};

type HttpValues = z.infer<z.ZodObject<typeof httpVariables>>;

export const httpOf = (values: HttpValues) => ({
  host: values.HOST,
  port: values.PORT,
  externalUrl: new URL(values.EXTERNAL_URL ?? `http://127.0.0.1:${values.PORT}`).origin,
  trustedProxies: values.TRUSTED_PROXIES,
  requestLog: values.REQUEST_LOG,
  shutdownDelayMs: values.SHUTDOWN_DELAY_SECONDS * 1000,
  connections: {
    bodyMs: values.HTTP_BODY_SECONDS * 1000,
    sendStallMs: values.HTTP_SEND_STALL_SECONDS * 1000,
    keepAliveMs: values.HTTP_KEEP_ALIVE_SECONDS * 1000,
    maxConnections: values.HTTP_MAX_CONNECTIONS,
    maxConnectionsPerAddress: values.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
  },
});

const cap = (byDefault: number) => wholeNumber(1, 10_000_000).default(byDefault);

/** The caps of the lists of an account or an organisation. */
export const limitVariables = {
  MAX_DEVICES: cap(50).meta({
    description:
      'Phones of each platform. Registering one more removes the one that was registered longest ago; a phone that registers again counts as the newest.',
  }),
  MAX_SAVED_SNIPPETS: cap(1000).meta({
    description: 'Saved snippets.',
  }),
  MAX_EVENT_QUEUES: cap(100).meta({
    description:
      'Event queues. One more registration deletes the queue that was unused for the longest time.',
  }),
  MAX_MUTED_USERS: cap(5000).meta({ description: 'Muted users.' }),
  MAX_USER_TOPICS: cap(20_000).meta({
    description: 'Topics that a user has muted, unmuted or followed.',
  }),
  MAX_IDEMPOTENCY_KEYS: cap(100_000).meta({
    description:
      'Stored values of `Idempotency-Key`, for seven days at most. One in 256 requests removes the oldest values above the limit, so some hundred more can exist.',
  }),
  MAX_FILES: cap(100_000).meta({
    description: 'Uploaded files, whether or not the organisation has a quota.',
  }),
  MAX_UNFINISHED_UPLOADS: cap(20).meta({
    description:
      'Resumable uploads that are not finished (refused with status 413). All of them together announce at most twice `MAX_FILE_UPLOAD_SIZE`.',
  }),
  MAX_ACCOUNTS: cap(100_000).meta({
    description:
      'Accounts, deactivated ones and bots included. The command line makes accounts beyond it.',
  }),
  MAX_CUSTOM_EMOJI: cap(5000).meta({ description: 'Custom emoji, deactivated ones included.' }),
  MAX_PROFILE_FIELDS: cap(200).meta({ description: 'Custom profile fields.' }),
  MAX_PLAYGROUNDS: cap(1000).meta({ description: 'Code playgrounds.' }),
  MAX_CHANNELS: cap(20_000).meta({ description: 'Channels, archived ones included.' }),
  MAX_DEFAULT_CHANNELS: cap(1000).meta({
    description: 'Channels that new accounts are subscribed to.',
  }),
  RATE_LIMIT_EVENT_QUEUE: rateRules.default([{ seconds: 60, calls: 600 }]).meta({
    description:
      'Polls of one event queue. They do not count as requests of the account. Polls that do not wait, ask again for events that were answered, or read older events from PostgreSQL, count for all queues of the account together.',
  }),
  RATE_LIMIT_TEST_NOTIFICATIONS: rateRules.default([{ seconds: 60, calls: 1000 }]).meta({
    description:
      'Devices that the test notifications of one account go to: a test for all devices is charged for each of them. The test that passes the limit still goes out; the next one is refused.',
  }),
};

const unfinishedUploadVariables = {
  UNFINISHED_UPLOAD_SECONDS: wholeNumber(60, 604_800).default(3600).meta({
    description:
      'A resumable upload that receives no data for this time is removed, and its quota is returned.',
  }),
  MIN_FREE_DISK_MIB: wholeNumber(0, 1_048_576).default(256).meta({
    description:
      'The free space of the disk of `UPLOADS_DIR` below which uploads are refused with 507.',
  }),
};

type LimitValues = { readonly [Name in keyof typeof limitVariables]: unknown } & {
  readonly [
    Name in Exclude<
      keyof typeof limitVariables,
      'RATE_LIMIT_TEST_NOTIFICATIONS' | 'RATE_LIMIT_EVENT_QUEUE'
    >
  ]: number;
};

/** The `Limits` of the libs. */
export const limitsOf = (values: LimitValues, largestFileMib: number) => ({
  devices: values.MAX_DEVICES,
  savedSnippets: values.MAX_SAVED_SNIPPETS,
  eventQueues: values.MAX_EVENT_QUEUES,
  mutedUsers: values.MAX_MUTED_USERS,
  userTopics: values.MAX_USER_TOPICS,
  idempotencyKeys: values.MAX_IDEMPOTENCY_KEYS,
  files: values.MAX_FILES,
  unfinishedUploads: values.MAX_UNFINISHED_UPLOADS,
  /** The sum over all unfinished uploads of an account. */
  unfinishedBytes: 2 * largestFileMib * MEBIBYTE,
  accounts: values.MAX_ACCOUNTS,
  customEmoji: values.MAX_CUSTOM_EMOJI,
  profileFields: values.MAX_PROFILE_FIELDS,
  playgrounds: values.MAX_PLAYGROUNDS,
  channels: values.MAX_CHANNELS,
  defaultChannels: values.MAX_DEFAULT_CHANNELS,
});

/** Files are on disk, or in an S3 bucket if one is named. */
export const uploadVariables = {
  DATA_DIR: filePath
    .default('.data')
    .meta({ description: 'Where the local stack and the sandbox keep their files.' }),
  UPLOADS_DIR: filePath.optional().meta({
    byDefault: '`DATA_DIR/uploads`',
    description:
      'Where files are kept; with a bucket, only while they come in. An unfinished upload can be resumed only at a gateway that has the same folder.',
  }),
  MAX_FILE_UPLOAD_SIZE: wholeNumber(1, 102_400)
    .default(100)
    .meta({ description: 'The largest file that is taken, in MiB.' }),
  ...unfinishedUploadVariables,
  S3_BUCKET: z.string().optional().meta({ description: 'The bucket that files are kept in.' }),
  S3_REGION: z
    .string()
    .optional()
    .meta({ byDefault: '`us-east-1`', description: "The bucket's region." }),
  S3_ENDPOINT: urlOf('http', 'https').optional().meta({
    byDefault: "Amazon's",
    description: 'Where another service of the same protocol answers.',
  }),
  S3_ACCESS_KEY_ID: z.string().optional().meta({
    description:
      'The id of the key that signs requests. The key must have the permissions to read, write and delete objects of the bucket.',
  }),
  S3_SECRET_ACCESS_KEY_FILE: fileOf('S3_SECRET_ACCESS_KEY'),
  S3_SECRET_ACCESS_KEY: z.string().optional().meta({ description: 'The key itself.' }),
  S3_PATH_STYLE: flag.optional().meta({
    byDefault: '`false`',
    description:
      "Whether the bucket's name goes into the path and not into the host; most services other than Amazon's want it.",
  }),
};

type UploadValues = z.infer<z.ZodObject<typeof uploadVariables>>;

const DEFAULT_REGION = 'us-east-1';

/** Throws ConfigError for an incomplete S3 configuration. */
export function uploadsOf(values: UploadValues) {
  return {
    folder: values.UPLOADS_DIR ?? path.join(values.DATA_DIR, 'uploads'),
    limitMib: values.MAX_FILE_UPLOAD_SIZE,
    unfinishedMs: values.UNFINISHED_UPLOAD_SECONDS * 1000,
    leastFreeMib: values.MIN_FREE_DISK_MIB,
    s3: bucketOf(values),
  };
}

function bucketOf(values: UploadValues) {
  const bucket = allOrNone(
    values,
    ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    ['S3_REGION', 'S3_ENDPOINT', 'S3_PATH_STYLE'],
  );
  return (
    bucket && {
      bucket: bucket.S3_BUCKET,
      region: values.S3_REGION ?? DEFAULT_REGION,
      endpoint: values.S3_ENDPOINT,
      accessKeyId: bucket.S3_ACCESS_KEY_ID,
      secretAccessKey: bucket.S3_SECRET_ACCESS_KEY,
      hasPathStyle: values.S3_PATH_STYLE ?? false,
    }
  );
}

const serviceUrl = urlOf('http', 'https')
  .transform((url) => url.replace(/\/+$/, ''))
  .meta({ takes: '`http://…`, `https://…`' });

/** A client id and a client secret together enable a provider of video calls. */
export const videoCallVariables = {
  WEBEX_CLIENT_ID: z.string().optional().meta({
    description: 'The client id at Webex. The app needs the scope `meeting:schedules_write`.',
  }),
  WEBEX_CLIENT_SECRET_FILE: fileOf('WEBEX_CLIENT_SECRET'),
  WEBEX_CLIENT_SECRET: z.string().optional().meta({ description: 'The client secret at Webex.' }),
  WEBEX_API_URL: serviceUrl
    .default('https://webexapis.com')
    .meta({ description: "Webex's API endpoint." }),
  ZOOM_CLIENT_ID: z.string().optional().meta({
    description: 'The client id at Zoom. The app needs the scope `meeting:write:meeting`.',
  }),
  ZOOM_CLIENT_SECRET_FILE: fileOf('ZOOM_CLIENT_SECRET'),
  ZOOM_CLIENT_SECRET: z.string().optional().meta({ description: 'The client secret at Zoom.' }),
  ZOOM_OAUTH_URL: serviceUrl
    .default('https://zoom.us')
    .meta({ description: "Zoom's OAuth endpoint." }),
  ZOOM_API_URL: serviceUrl
    .default('https://api.zoom.us')
    .meta({ description: "Zoom's API endpoint." }),
  VIDEO_CALL_DEADLINE_MS: wholeNumber(100, 30_000)
    .default(5000)
    .meta({ description: 'How long one request waits for a provider.' }),
};

type VideoCallValues = z.infer<z.ZodObject<typeof videoCallVariables>>;

/** Each provider, or null if it is disabled. Throws ConfigError when only one half of a pair is set. */
export function videoCallsOf(values: VideoCallValues) {
  const webex = allOrNone(values, ['WEBEX_CLIENT_ID', 'WEBEX_CLIENT_SECRET']);
  const zoom = allOrNone(values, ['ZOOM_CLIENT_ID', 'ZOOM_CLIENT_SECRET']);
  return {
    deadlineMs: values.VIDEO_CALL_DEADLINE_MS,
    webex: webex && {
      clientId: webex.WEBEX_CLIENT_ID,
      clientSecret: webex.WEBEX_CLIENT_SECRET,
      apiUrl: values.WEBEX_API_URL,
    },
    zoom: zoom && {
      clientId: zoom.ZOOM_CLIENT_ID,
      clientSecret: zoom.ZOOM_CLIENT_SECRET,
      oauthUrl: values.ZOOM_OAUTH_URL,
      apiUrl: values.ZOOM_API_URL,
    },
  };
}
