import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { Logger } from '@nestjs/common';

/** The certificate of the server, and how it takes requests. */
interface HttpsServerOptions {
  readonly certificate: string;
  readonly key: string;
  /** Of a connection by HTTP/2. */
  readonly maxStreams: number;
  readonly logger: Logger;
  readonly handle: (request: Http2ServerRequest, response: Http2ServerResponse) => Promise<void>;
}

/** A server that speaks HTTP/2 and HTTP/1.1, as those of Google and of push services do. */
export function createHttpsServer({
  certificate,
  key,
  maxStreams,
  logger,
  handle,
}: HttpsServerOptions): Http2SecureServer {
  const settings = { maxConcurrentStreams: maxStreams };
  const server = createSecureServer({ cert: certificate, key, settings, allowHTTP1: true });
  server.on('request', (request, response) => {
    // A client may disconnect during a request.
    request.on('error', (error) => logger.debug(`Request failed: ${error.message}`));
    handle(request, response).catch((error: unknown) => {
      logger.error('A request could not be handled', error);
      response.stream?.close();
    });
  });
  return server;
}
