import path from 'node:path';
import { z } from 'zod';
import { unfinishedUploadVariables } from './limits.variables.js';
import { ConfigError } from './read-variables.js';
import { flag, urlOf, wholeNumber } from './variable-types.js';

/** Files lie on disk, unless a bucket is named: then the other variables of S3 say how it is reached. */
export const uploadVariables = {
  DATA_DIR: z.string().default('.data'),
  UPLOADS_DIR: z.string().optional(),
  MAX_FILE_UPLOAD_SIZE: wholeNumber(1, 102_400).default(100),
  ...unfinishedUploadVariables,
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().optional(),
  S3_ENDPOINT: urlOf('http', 'https').optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_PATH_STYLE: flag.optional(),
};

type UploadValues = z.infer<z.ZodObject<typeof uploadVariables>>;

const DEFAULT_REGION = 'us-east-1';

/** Where uploaded files go. Throws ConfigError for a bucket that is only half configured. */
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
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: keyId, S3_SECRET_ACCESS_KEY: secret } = values;
  const needed = { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: keyId, S3_SECRET_ACCESS_KEY: secret };
  if (bucket !== undefined && keyId !== undefined && secret !== undefined) {
    return {
      bucket,
      region: values.S3_REGION ?? DEFAULT_REGION,
      endpoint: values.S3_ENDPOINT,
      accessKeyId: keyId,
      secretAccessKey: secret,
      hasPathStyle: values.S3_PATH_STYLE ?? false,
    };
  }
  const { S3_REGION, S3_ENDPOINT, S3_PATH_STYLE } = values;
  const given = namesIn({ ...needed, S3_REGION, S3_ENDPOINT, S3_PATH_STYLE }, true);
  if (given.length === 0) return null;
  throw new ConfigError(
    namesIn(needed, false).map((name) => `${name} is not set, but ${given[0]} is`),
  );
}

const namesIn = (values: Readonly<Record<string, unknown>>, isSet: boolean): string[] =>
  Object.keys(values).filter((name) => (values[name] !== undefined) === isSet);
