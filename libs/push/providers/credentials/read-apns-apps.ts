import path from 'node:path';
import type { ApnsEnvironment } from '#push/jobs';
import type { ApnsApp, ApnsSignIn } from '../apns/apns-credential.js';
import { type AppsFileEntry, parseAppsFile } from './apps-file.rules.js';
import { bundleIdOf, faultOfApnsKey, faultOfCertificateKey } from './credential-check.rules.js';
import {
  CredentialFault,
  faultOfCertificate,
  readCredentialFile,
  refuseFaulty,
} from '#platform/outbound';

type SignInFiles = AppsFileEntry['signIn'];

/** The configured credentials for Apple. */
interface ApnsSources {
  /** For all topics without an entry in the apps file; null without one. */
  readonly signIn: SignInFiles | null;
  /** The path; null without one. */
  readonly appsFile: string | null;
  readonly environments: readonly ApnsEnvironment[];
}

/** The settings that name the files of a sign-in, for faults. */
interface Labels {
  readonly key: string;
  readonly certificate: string;
  readonly privateKey: string;
}

const variables: Labels = {
  key: 'APNS_KEY_FILE',
  certificate: 'APNS_CERTIFICATE_FILE',
  privateKey: 'APNS_CERTIFICATE_KEY_FILE',
};

/** Reads all credentials for Apple. Throws CredentialFault with the name of the faulty file. */
export async function readApnsApps(sources: ApnsSources): Promise<readonly ApnsApp[]> {
  const { signIn: files, appsFile, environments } = sources;
  const apps = appsFile === null ? [] : await readAppsFile(appsFile, environments);
  if (files === null) return apps;
  const signIn = await readSignIn(files, variables);
  // Apple accepts a certificate for one app only.
  const bundleId = signIn.kind === 'certificate' ? bundleIdOf(signIn.certificate) : null;
  return [...apps, { topics: bundleId === null ? null : [bundleId], environments, signIn }];
}

async function readAppsFile(
  file: string,
  environments: readonly ApnsEnvironment[],
): Promise<ApnsApp[]> {
  const what = `PUSH_APPS_FILE (${file})`;
  const text = await readCredentialFile('PUSH_APPS_FILE', file);
  try {
    const entries = parseAppsFile(text, environments);
    const folder = path.dirname(file);
    return await Promise.all(entries.map((entry, index) => readEntry(entry, index + 1, folder)));
  } catch (error) {
    if (error instanceof CredentialFault) throw new CredentialFault(`${what}: ${error.message}`);
    throw error;
  }
}

async function readEntry(entry: AppsFileEntry, number: number, folder: string): Promise<ApnsApp> {
  const at = `entry ${number}`;
  const signIn = await readSignIn(inFolder(entry.signIn, folder), {
    key: `${at}: key_file`,
    certificate: `${at}: certificate_file`,
    privateKey: `${at}: private_key_file`,
  });
  const bundleId = signIn.kind === 'certificate' ? bundleIdOf(signIn.certificate) : null;
  const foreign = entry.topics.find(
    (topic) => bundleId !== null && topic !== bundleId && !topic.startsWith(`${bundleId}.`),
  );
  if (foreign !== undefined) {
    throw new CredentialFault(`${at}: topics: ${foreign}, but the certificate is for ${bundleId}`);
  }
  return { topics: entry.topics, environments: entry.environments, signIn };
}

const inFolder = (files: SignInFiles, folder: string): SignInFiles =>
  files.kind === 'token'
    ? { ...files, keyFile: path.resolve(folder, files.keyFile) }
    : {
        ...files,
        certificateFile: path.resolve(folder, files.certificateFile),
        privateKeyFile: path.resolve(folder, files.privateKeyFile),
      };

async function readSignIn(files: SignInFiles, labels: Labels): Promise<ApnsSignIn> {
  if (files.kind === 'token') {
    const { keyFile, keyId, teamId } = files;
    const key = await readCredentialFile(labels.key, keyFile);
    refuseFaulty(labels.key, keyFile, faultOfApnsKey(key));
    return { kind: 'token', key, keyId, teamId };
  }
  const { certificateFile, privateKeyFile } = files;
  const certificate = await readCredentialFile(labels.certificate, certificateFile);
  refuseFaulty(labels.certificate, certificateFile, faultOfCertificate(certificate));
  const key = await readCredentialFile(labels.privateKey, privateKeyFile);
  refuseFaulty(labels.privateKey, privateKeyFile, faultOfCertificateKey(key, certificate));
  return { kind: 'certificate', certificate, key };
}
