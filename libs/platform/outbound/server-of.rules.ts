/** The server of an HTTP URL, as it is connected to. */
export interface WebServer {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** The server of an `http:` or `https:` URL. */
export function serverOf({ hostname, port, protocol }: URL): WebServer {
  const isTls = protocol === 'https:';
  const host = hostname.replaceAll(/[[\]]/g, '');
  return { host, port: port === '' ? (isTls ? 443 : 80) : Number(port), isTls };
}
