import type { INestApplication } from '@nestjs/common';
import { importPKCS8, SignJWT } from 'jose';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import {
  type ClientHttp2Session,
  connect,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { createPushSandbox } from '../../apps/push-sandbox/src/create-push-sandbox.js';
import { freePorts } from './free-ports.js';

export const appleToken = 'a1'.repeat(32);
export const topic = 'org.example.chat';
const host = '127.0.0.1';

interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const apnsIdentity = z.object({ key_id: z.string(), team_id: z.string() });
const serviceAccount = z.object({
  project_id: z.string(),
  client_email: z.string(),
  private_key: z.string(),
  token_uri: z.string(),
});
const deliveryList = z.object({
  deliveries: z.array(
    z.looseObject({
      id: z.number(),
      platform: z.string(),
      token: z.string(),
      topic: z.string().nullable(),
      headers: z.record(z.string(), z.string()),
      payload: z.unknown(),
      status: z.number().nullable(),
      reason: z.string().nullable(),
      shown: z.boolean(),
      expired: z.boolean(),
      received_at: z.number(),
    }),
  ),
});

/** The sandbox, in this process, on free ports and with its own data folder. */
export class SandboxUnderTest {
  #sessions: ClientHttp2Session[] = [];

  private constructor(
    readonly app: INestApplication,
    readonly folder: string,
    readonly ports: { page: number; apns: number; apnsSandbox: number; fcm: number; web: number },
    readonly ca: string,
  ) {}

  /** `publicHost` is in its certificate and in the address of its token endpoint. */
  static async start(publicHost = host): Promise<SandboxUnderTest> {
    const dataDir = await mkdtemp(join(tmpdir(), 'push-sandbox-'));
    const [page = 0, apns = 0, apnsSandbox = 0, fcm = 0, web = 0] = await freePorts(5);
    const app = await createPushSandbox({
      logging: { level: 'error', format: 'text' },
      dataDir,
      host,
      publicHost,
      port: page,
      apnsPort: apns,
      apnsSandboxPort: apnsSandbox,
      fcmPort: fcm,
      webPort: web,
    });
    await app.listen(page, host);
    const folder = join(dataDir, 'sandbox');
    const ca = await readFile(join(folder, 'ca.pem'), 'utf8');
    return new SandboxUnderTest(app, folder, { page, apns, apnsSandbox, fcm, web }, ca);
  }

  async stop(): Promise<void> {
    this.disconnect();
    await this.app.close();
    await rm(join(this.folder, '..'), { recursive: true });
  }

  disconnect(): void {
    for (const session of this.#sessions) session.destroy();
    this.#sessions = [];
  }

  /** Removes deliveries and modes, and closes the connections of the previous test. */
  async reset(): Promise<void> {
    this.disconnect();
    await this.control('PUT', '/api/platforms/apns', { mode: 'ok' });
    await this.control('PUT', '/api/platforms/fcm', { mode: 'ok' });
    await this.control('PUT', '/api/platforms/web', { mode: 'ok' });
    await this.control('DELETE', '/api/deliveries');
  }

  async control(method: string, path: string, body?: unknown) {
    const response = await fetch(`http://${host}:${this.ports.page}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const json: unknown = await response.json();
    return { status: response.status, json };
  }

  async deliveries(query = '') {
    const { json } = await this.control('GET', `/api/deliveries${query}`);
    return deliveryList.parse(json).deliveries;
  }

  /** Opens a connection and waits for its settings, so that the stream limit is known. */
  async connect(
    port: number,
    options: SecureClientSessionOptions = {},
  ): Promise<ClientHttp2Session> {
    const session = connect(`https://${host}:${port}`, { ca: this.ca, ...options });
    session.on('error', () => undefined);
    this.#sessions.push(session);
    await once(session, 'remoteSettings');
    return session;
  }

  /** A connection to APNs on which a provider token was accepted, so that it allows many concurrent streams. */
  async connectToApple(providerToken: string): Promise<ClientHttp2Session> {
    const session = await this.connect(this.ports.apns);
    const widened = once(session, 'remoteSettings');
    await this.notify(session, providerToken);
    await widened;
    return session;
  }

  async providerToken(issuedAt = Date.now() / 1000): Promise<string> {
    const key = await importPKCS8(await this.read('apns-key.p8'), 'ES256');
    const identity = apnsIdentity.parse(JSON.parse(await this.read('apns.json')));
    return new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: identity.key_id })
      .setIssuer(identity.team_id)
      .setIssuedAt(Math.floor(issuedAt))
      .sign(key);
  }

  /** Sends a valid notification; `headers` adds headers, or removes those set to undefined. */
  notify(
    session: ClientHttp2Session,
    providerToken: string,
    headers: OutgoingHttpHeaders = {},
    token = appleToken,
  ): Promise<HttpReply> {
    const good = {
      ':method': 'POST',
      ':path': `/3/device/${token}`,
      authorization: `bearer ${providerToken}`,
      'apns-topic': topic,
      'apns-push-type': 'alert',
    };
    return exchange(session, { ...good, ...headers }, { aps: { alert: { title: 'Hello' } } });
  }

  async serviceAccount() {
    return serviceAccount.parse(JSON.parse(await this.read('service-account.json')));
  }

  async assertion(claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const account = await this.serviceAccount();
    const key = await importPKCS8(account.private_key, 'RS256');
    return new SignJWT({
      iss: account.client_email,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: account.token_uri,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key);
  }

  async accessToken(): Promise<string> {
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await this.assertion(),
    });
    const { body } = await this.postOverHttp1('/token', {}, form.toString());
    return z.object({ access_token: z.string() }).parse(JSON.parse(body)).access_token;
  }

  /** Sends a message over HTTP/1.1. */
  async message(accessToken: string, message: unknown, project = 'carillon-demo') {
    const reply = await this.postOverHttp1(
      `/v1/projects/${project}/messages:send`,
      { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      JSON.stringify({ message }),
    );
    const json: unknown = JSON.parse(reply.body);
    return { ...reply, json };
  }

  async postOverHttp1(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<HttpReply> {
    const outgoing = request({
      host,
      port: this.ports.fcm,
      servername: 'fcm.googleapis.com',
      ca: this.ca,
      // Each request has its own connection, so that no connection of the previous test is reused.
      agent: false,
      method: 'POST',
      path,
      headers,
    });
    outgoing.end(body);
    return new Promise((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        text(response).then(
          (received) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: received,
            }),
          reject,
        );
      });
    });
  }

  async read(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8');
  }
}

/** Resolves when the connection has closed, with or without an error. */
export async function closed(session: ClientHttp2Session): Promise<void> {
  await new Promise<void>((resolve) => {
    session.on('close', resolve);
  });
}

/** Sends one request over HTTP/2; rejects if the stream ends without a response. */
export async function exchange(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  payload: unknown,
): Promise<HttpReply> {
  const stream = session.request(headers, { endStream: false });
  stream.end(typeof payload === 'string' ? payload : JSON.stringify(payload));
  return new Promise((resolve, reject) => {
    stream.on('error', reject);
    stream.on('close', () => reject(new Error('The stream closed without an answer')));
    stream.on('response', (received) => {
      const { ':status': status = 0 } = received;
      text(stream).then((body) => resolve({ status, headers: received, body }), reject);
    });
  });
}
