/** The address of a server. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, with brackets around an IPv6 address. */
export const hostAndPort = ({ host, port }: ServerAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
