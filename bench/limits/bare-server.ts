import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receives the body of a request and resolves with the body of the response. */
type BareHandler = (request: IncomingMessage, body: string) => Promise<string>;

const KEEP_ALIVE_MS = 3_600_000;

/** Serves requests over node:http without a framework; resolves with the port. */
export async function serveBare(handle: BareHandler): Promise<number> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      handle(request, body).then(
        (answer) => respond(response, 200, answer),
        (error: unknown) => respond(response, 500, String(error)),
      );
    });
  });
  // Clients send nothing during the rounds of the other side; Node would close their connections after five seconds.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The server listens on TCP.
  return (server.address() as AddressInfo).port;
}

function respond(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
