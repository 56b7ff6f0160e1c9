import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SubjectAlternativeNameExtension } from '@peculiar/x509';
import type { ServerIdentity } from '../../apps/push-sandbox/src/credentials/certificate-authority.js';
import {
  CertificateIssuer,
  usualValidity,
} from '../../apps/push-sandbox/src/credentials/certificate-issuer.js';

/** The files with a certificate for 127.0.0.1, with its key and its authority. */
export interface RedisEncryption {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Writes the files of a certificate, by default of a new authority, into a folder. */
export async function writeRedisEncryption(
  folder: string,
  identity?: ServerIdentity,
): Promise<RedisEncryption> {
  const { authority, certificate, key } = identity ?? (await makeNodeIdentity(new Date()));
  const files = {
    authority: path.join(folder, 'redis-authority.pem'),
    certificate: path.join(folder, 'redis.pem'),
    key: path.join(folder, 'redis-key.pem'),
  };
  await writeFile(files.authority, authority);
  await writeFile(files.certificate, certificate);
  await writeFile(files.key, key, { mode: 0o600 });
  return files;
}

/** Without an extended key usage: nodes of a cluster show their certificate to each other as clients too. */
async function makeNodeIdentity(now: Date): Promise<ServerIdentity> {
  const issuer = await CertificateIssuer.make('CN=Redis authority', now);
  const node = await issuer.issue('CN=Redis', usualValidity(now), [
    new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
  ]);
  return { authority: issuer.toPem().certificate, ...node };
}

/** The lines of a configuration for the port of a Redis. With encryption it has no other port, also for other servers. */
export const portLines = (port: number, encryption: RedisEncryption | null): string[] =>
  encryption === null
    ? [`port ${port}`]
    : [
        'port 0',
        `tls-port ${port}`,
        `tls-cert-file ${encryption.certificate}`,
        `tls-key-file ${encryption.key}`,
        `tls-ca-cert-file ${encryption.authority}`,
        'tls-auth-clients no',
        'tls-replication yes',
      ];

/** An address that begins with `redis`, encrypted if its server is. */
export const encryptedAddress = (url: string, encryption: RedisEncryption | null): string =>
  encryption === null
    ? url
    : `${url.replace(/^redis/, 'rediss')}?ssl_ca_certs=${encodeURIComponent(encryption.authority)}`;
