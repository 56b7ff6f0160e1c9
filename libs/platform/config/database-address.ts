import { accessSync, constants } from 'node:fs';
import type { ServerAddress } from './server-address.js';
import { isDecodable, UNESCAPED } from './url-parts.js';

/** The address of a database on one server, or on several of which one is the primary. */
export interface DatabaseAddress {
  readonly servers: readonly ServerAddress[];
  /** The address with the first server only, which drivers can read. */
  readonly url: string;
}

const PATTERN = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([/?#].*)?$/;
const SERVER = /^(\[[\da-f:.]+\]|[\w.-]*)(?::(\d{1,5}))?$/i;
const DEFAULT_PORT = 5432;
const MAX_PORT = 65_535;

/**
 * The servers of `postgresql://user:password@host:port,host:port/database`; null for another address. Hosts may have
 * different ports.
 */
export function databaseAddress(url: string): DatabaseAddress | null {
  const [, start, hosts = '', end = ''] = PATTERN.exec(url) ?? [];
  if (start === undefined) return null;
  const items = hosts.split(',');
  const servers = items.flatMap(serverOf);
  const isComplete = servers.length === items.length;
  // One server may be without a host: a socket is in the query.
  const isNamed = items.length === 1 || servers.every(({ host }) => host !== '');
  const first = `${start}${items[0]}${end}`;
  return isComplete && isNamed && URL.canParse(first) ? { servers, url: first } : null;
}

function serverOf(item: string): ServerAddress[] {
  const [, host, port = String(DEFAULT_PORT)] = SERVER.exec(item) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > MAX_PORT) return [];
  return [{ host: host.replaceAll(/[[\]]/g, ''), port: Number(port) }];
}

const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/** The fault of the address of a database; null for a usable one. The text shows no credentials. */
export function databaseFault(url: string): string | null {
  if (!isDecodable(url)) return UNESCAPED;
  const address = databaseAddress(url);
  if (address === null) {
    if (/^postgres(?:ql)?:\/\/[^@]*[/?#][^@]*@/.test(url)) return UNESCAPED;
    return 'expected an address that begins with postgresql:// or postgres://, with one server or several with commas between';
  }
  const { searchParams } = new URL(address.url);
  const mode = searchParams.get('sslmode');
  if (mode !== null && !TLS_MODES.includes(mode)) {
    return `expected sslmode to be one of ${TLS_MODES.join(', ')}`;
  }
  const attributes = searchParams.get('target_session_attrs');
  if (attributes !== null && !['primary', 'read-write'].includes(attributes)) {
    return 'expected target_session_attrs to be primary or read-write: programs use the primary only';
  }
  return unreadableFile(searchParams, TLS_FILES);
}

/** Says which file that the options of an address name cannot be read; null if all can. */
export function unreadableFile(options: URLSearchParams, names: readonly string[]): string | null {
  for (const name of names) {
    const file = options.get(name);
    if (file === null) continue;
    try {
      accessSync(file, constants.R_OK);
    } catch {
      return `the file of ${name} (${file}) cannot be read`;
    }
  }
  return null;
}
