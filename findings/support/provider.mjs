import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';

const identity = () => ({ key: readFileSync('server-key.pem'), cert: readFileSync('server.pem') });

/** Serves HTTP/2 as Apple does; `answer` gets each request as a stream with its headers. Resolves with the port. */
export async function serveHttp2(answer, settings = {}) {
  const server = createSecureServer({ ...identity(), settings });
  const sessions = [];
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    stream.resume();
    stream.on('end', () => answer(stream, headers));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return { port: server.address().port, sessions };
}

export function respond(stream, status, body, headers = {}) {
  stream.respond({ ':status': status, ...headers });
  stream.end(body === undefined ? '' : JSON.stringify(body));
}

/** Serves HTTPS with HTTP/1.1; `answer` resolves with status, headers and body. */
export async function serveHttps(answer) {
  const server = createServer(identity(), async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { status, headers = {}, body } = await answer(request, text);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return { port: server.address().port, server };
}

/** The options of a Provider of @parse/node-apn for a server of this computer. */
export const nodeApnAt = (port) => ({
  token: { key: 'apns-key.p8', keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ' },
  address: 'localhost',
  port,
  ca: [readFileSync('server.pem')],
  production: true,
});

/** A client of apns2 for a server of this computer. The package knows no other port than 443. */
export async function apns2At(port) {
  const { ApnsClient } = await import('apns2');
  const { Pool } = await import('undici');
  const client = new ApnsClient({
    team: 'DEF123GHIJ',
    keyId: 'ABC123DEFG',
    signingKey: readFileSync('apns-key.p8', 'utf8'),
    defaultTopic: 'org.example.app',
  });
  client.client = new Pool(`https://localhost:${port}`, {
    connections: 32,
    pipelining: 1,
    allowH2: true,
    maxConcurrentStreams: 100,
    connect: { ca: readFileSync('server.pem') },
  });
  return client;
}

export const iphone = (number = 1) => number.toString(16).padStart(64, '0');
