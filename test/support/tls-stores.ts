import { randomBytes } from 'node:crypto';
import { chownSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { childEnvironment } from '#platform/config';
import { applyMigrations } from '#platform/database';
import {
  makeServerIdentity,
  type ServerIdentity,
} from '../../apps/push-sandbox/src/credentials/certificate-authority.js';
import type { OwnProcess } from '../../deploy/local/own-process.js';
import { startPostgres } from '../../deploy/local/postgres-server.js';
import { type PrivateServer, startServer } from '../../deploy/local/private-server.js';
import { findRedisProgram } from '../../deploy/local/redis-programs.js';
import { pingRedis } from '../../deploy/local/redis-server.js';
import { ownerOf } from '../../deploy/local/server-account.js';
import { freePorts } from './free-ports.js';
import {
  encryptedAddress,
  portLines,
  type RedisEncryption,
  writeRedisEncryption,
} from './redis-encryption.js';
import { openTestDatabase, type TestDatabase } from './test-stores.js';
import { silence } from './throwaway-redis.js';

const DEADLINE_MS = 20_000;

/** A PostgreSQL and a Redis with certificates of an own authority. Redis has no port without TLS. */
export class TlsStores {
  private constructor(
    private readonly folder: string,
    /** The certificate of the authority. */
    readonly authorityFile: string,
    /** The certificate of another authority. */
    readonly otherAuthorityFile: string,
    private readonly postgres: PrivateServer,
    private readonly redis: {
      readonly server: OwnProcess;
      readonly address: string;
      readonly encryption: RedisEncryption;
    },
  ) {}

  static async start(): Promise<TlsStores> {
    const folder = await mkdtemp(path.join(tmpdir(), 'carillon-tls-'));
    // As root, PostgreSQL runs as another account, which must enter the folder.
    await chmod(folder, 0o711);
    const identity = await makeServerIdentity(new Date());
    const authority = path.join(folder, 'authority.pem');
    await writeFile(authority, identity.authority);
    const other = path.join(folder, 'other.pem');
    await writeFile(other, (await makeServerIdentity(new Date())).authority);
    const redis = await startRedisWith(identity, folder);
    const postgres = await startPostgresWith(identity, path.join(folder, 'postgres'));
    return new TlsStores(folder, authority, other, postgres, redis);
  }

  /** The address of PostgreSQL, which checks the name `host` and the authority. */
  databaseUrl(host = 'localhost', authority = this.authorityFile): string {
    const url = new URL(this.postgres.url);
    url.hostname = host;
    url.searchParams.set('sslmode', 'verify-full');
    url.searchParams.set('sslrootcert', authority);
    return url.href;
  }

  redisUrl(authority = this.authorityFile): string {
    return encryptedAddress(this.redis.address, { ...this.redis.encryption, authority });
  }

  open(): TestDatabase {
    return openTestDatabase(this.databaseUrl());
  }

  async remove(): Promise<void> {
    await this.redis.server.stop();
    await this.postgres.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function startRedisWith(identity: ServerIdentity, folder: string) {
  const program = await findRedisProgram(process.cwd(), silence);
  if (program.kind !== 'native') throw new Error('TLS needs a native Redis');
  const [port = 0] = await freePorts(1);
  const password = randomBytes(12).toString('hex');
  const address = `redis://default:${password}@localhost:${port}`;
  const encryption = await writeRedisEncryption(folder, identity);
  const configuration = [
    'bind 127.0.0.1',
    ...portLines(port, encryption),
    `requirepass ${password}`,
    'save ""',
  ];
  const server = await startServer({
    name: `Redis with TLS on port ${port}`,
    command: program.command,
    args: ['-'],
    input: `${configuration.join('\n')}\n`,
    cwd: folder,
    env: childEnvironment(program.environment),
    home: folder,
    stopSignal: 'SIGTERM',
    graceMs: 5000,
    isReady: () =>
      pingRedis(encryptedAddress(address, encryption)).then(
        () => true,
        () => false,
      ),
    deadlineMs: DEADLINE_MS,
  });
  return { server, address, encryption };
}

async function startPostgresWith(identity: ServerIdentity, folder: string): Promise<PrivateServer> {
  const options = { root: process.cwd(), folder, isThrowaway: false, progress: silence };
  const plain = await startPostgres(options);
  await applyMigrations(plain.url);
  await plain.stop();
  const data = path.join(folder, 'data');
  const account = ownerOf(data);
  for (const [name, text] of [
    ['server.crt', identity.certificate],
    ['server.key', identity.key],
  ] as const) {
    const file = path.join(data, name);
    await writeFile(file, text, { mode: 0o600 });
    if (account !== undefined) chownSync(file, account.uid, account.gid);
  }
  await appendFile(path.join(data, 'postgresql.conf'), '\nssl = on\n');
  return startPostgres(options);
}
