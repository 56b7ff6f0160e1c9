import http2, { type ClientHttp2Session } from 'node:http2';
import tls, { type ConnectionOptions } from 'node:tls';

/** The port of this computer that stands in for each host, and the authority of its certificate. */
export interface TlsRoutes {
  readonly ports: Readonly<Record<string, number>>;
  readonly certificateAuthority: Buffer;
}

/**
 * Leads the TLS connections of this process to some hosts to this computer. apns2 and firebase-admin have no option for the
 * port, or none that all of their requests heed.
 */
export function redirectTls({ ports, certificateAuthority }: TlsRoutes): void {
  const { connect } = tls;
  // The forms are (options, listener) and (port, host, options, listener).
  const redirected = (...given: unknown[]) => {
    const options = optionsOf(given);
    const port = ports[options.host ?? ''];
    const listener = given.find((one) => typeof one === 'function');
    const place = { host: '127.0.0.1', servername: 'localhost', ca: certificateAuthority };
    return connect(
      port === undefined ? options : { ...options, ...place, port },
      // Node calls it without arguments.
      listener as (() => void) | undefined,
    );
  };
  tls.connect = redirected;
}

/** Corrects the scheme of firebase-admin, `https:`. The server of Node refuses it, on which the push sandbox stands. */
export function correctScheme(): void {
  const { connect } = http2;
  http2.connect = ((...given: Parameters<typeof connect>): ClientHttp2Session => {
    const session = connect(...given);
    const request = session.request.bind(session);
    session.request = (headers, options) => request({ ...headers, ':scheme': 'https' }, options);
    return session;
  }) as typeof connect;
}

function optionsOf(given: readonly unknown[]): ConnectionOptions {
  // Node knows these forms only.
  const options = given.find((one) => typeof one === 'object') as ConnectionOptions | undefined;
  const [port, host] = given;
  return {
    ...options,
    ...(typeof port === 'number' && { port }),
    ...(typeof host === 'string' && { host }),
  };
}
