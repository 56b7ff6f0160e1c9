import { z } from 'zod';
import { type ApnsEnvironment, apnsEnvironments } from '#push/jobs';
import { parseJsonOrUndefined } from '#platform/core';
import { CredentialFault } from '#platform/outbound';

/** An entry of the apps file. Names of files are relative to the apps file. */
export interface AppsFileEntry {
  readonly topics: readonly string[];
  readonly environments: readonly ApnsEnvironment[];
  readonly signIn:
    | {
        readonly kind: 'token';
        readonly keyFile: string;
        readonly keyId: string;
        readonly teamId: string;
      }
    | {
        readonly kind: 'certificate';
        readonly certificateFile: string;
        readonly privateKeyFile: string;
      };
}

const tenCharacters = 'expected ten capital letters and digits';
const appleId = z.string(tenCharacters).regex(/^[A-Z0-9]{10}$/, tenCharacters);
const fileExpected = 'expected the name of a file';
const fileName = z.string(fileExpected).min(1, fileExpected);
const bundleIdExpected = 'expected a bundle id, as in org.example.app';
const topic = z
  .string(bundleIdExpected)
  .regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, bundleIdExpected);
const atLeastOne = 'expected a list of at least one bundle id';

const entrySchema = z.strictObject({
  topics: z.array(topic, atLeastOne).min(1, atLeastOne),
  environments: z
    .array(z.enum(apnsEnvironments, 'expected production or sandbox'), 'expected a list')
    .min(1, 'expected production, sandbox, or both')
    .optional(),
  key_file: fileName.optional(),
  key_id: appleId.optional(),
  team_id: appleId.optional(),
  certificate_file: fileName.optional(),
  private_key_file: fileName.optional(),
});

type Entry = z.infer<typeof entrySchema>;

/**
 * Parses the text of an apps file: a JSON list of entries with topics and either a key or a certificate.
 * `environments` are those of this installation; they apply to entries without a list of their own.
 *
 * Throws CredentialFault with all faulty entries and fields.
 */
export function parseAppsFile(
  text: string,
  environments: readonly ApnsEnvironment[],
): readonly AppsFileEntry[] {
  const list = z.array(z.unknown()).min(1).safeParse(parseJsonOrUndefined(text));
  if (!list.success) throw new CredentialFault('expected a JSON list with an entry for each app');
  const faults: string[] = [];
  const entries = list.data.flatMap((given, index) => {
    const at = `entry ${index + 1}`;
    const parsed = entrySchema.safeParse(given);
    if (!parsed.success) {
      faults.push(...parsed.error.issues.map((issue) => `${at}: ${faultText(issue)}`));
      return [];
    }
    const signIn = signInOf(parsed.data);
    if (typeof signIn === 'string') {
      faults.push(`${at}: ${signIn}`);
      return [];
    }
    const { topics, environments: own } = parsed.data;
    const unknown = own?.find((environment) => !environments.includes(environment));
    if (unknown !== undefined) {
      faults.push(`${at}: environments: ${unknown} is not among APNS_ENVIRONMENTS`);
    }
    return [{ at, topics, environments: own ?? environments, signIn }];
  });
  faults.push(...duplicateFaults(entries));
  if (faults.length > 0) throw new CredentialFault(faults.join('; '));
  return entries.map(({ topics, environments: own, signIn }) => ({
    topics,
    environments: own,
    signIn,
  }));
}

/** The sign-in of an entry, or its fault. */
function signInOf(entry: Entry): AppsFileEntry['signIn'] | string {
  const { key_file: keyFile, key_id: keyId, team_id: teamId } = entry;
  const { certificate_file: certificateFile, private_key_file: privateKeyFile } = entry;
  const isToken = (keyFile ?? keyId ?? teamId) !== undefined;
  const isCertificate = (certificateFile ?? privateKeyFile) !== undefined;
  if (isToken && isCertificate) return 'certificate_file: there is a key too; one is enough';
  if (isToken) {
    if (keyFile === undefined) return 'key_file: is missing; a key needs it';
    if (keyId === undefined) return 'key_id: is missing; a key needs it';
    if (teamId === undefined) return 'team_id: is missing; a key needs it';
    return { kind: 'token', keyFile, keyId, teamId };
  }
  if (certificateFile === undefined) {
    return isCertificate
      ? 'certificate_file: is missing; private_key_file is there'
      : 'key_file: is missing, and so is certificate_file';
  }
  if (privateKeyFile === undefined) return 'private_key_file: is missing; a certificate needs it';
  return { kind: 'certificate', certificateFile, privateKeyFile };
}

/** The faults of topics that occur twice in one environment. */
function duplicateFaults(
  entries: readonly (Pick<AppsFileEntry, 'topics' | 'environments'> & { readonly at: string })[],
): string[] {
  const first = new Map<string, string>();
  return entries.flatMap(({ at, topics, environments }) =>
    topics.flatMap((name) =>
      environments.flatMap((environment) => {
        const key = `${name} in ${environment}`;
        const before = first.get(key);
        first.set(key, before ?? at);
        return before === undefined ? [] : [`${at}: topics: ${key} is that of ${before} already`];
      }),
    ),
  );
}

/** The fault without any value: values may be secrets. */
function faultText({ code, path, message }: z.core.$ZodIssue): string {
  const field = path.join('.');
  if (code === 'unrecognized_keys') return `${message}`;
  return field === '' ? 'expected an object' : `${field}: ${message}`;
}
