import type { ClientRequest, IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import type { Duplex } from 'node:stream';
import { outboundAgents, ProxyFault } from '#platform/outbound';
import type { Http2Outcome } from '../http2/http2-exchange.js';
import { answerOfProxyFault } from '../transport/provider-answer.rules.js';
import type { ConnectionSettings, WebPushRequest } from './web-push-http.js';

/** The rest of a longer answer is not read. */
const MAX_ANSWER_BYTES = 4096;
/** The rest of a success may take so long. */
const MAX_REST_MS = 1000;
/** A connection without a request is kept for so long; one for each host. */
const IDLE_MS = 30_000;

/** The most connections. */
interface ConnectionLimits {
  readonly perHost: number;
  readonly inAll: number;
}

/** Requests by HTTP/1.1 over kept connections: every server speaks it. Beyond the limits requests wait. */
export class HostConnections {
  readonly #agent: Agent;

  constructor(settings: ConnectionSettings, limits: ConnectionLimits) {
    const { proxy, lookup, certificateAuthority: ca } = settings;
    this.#agent = outboundAgents(proxy, {
      keepAlive: true,
      timeout: IDLE_MS,
      maxSockets: limits.perHost,
      maxTotalSockets: limits.inAll,
      maxFreeSockets: 1,
      lookup,
      ...(ca !== undefined && { ca }),
    }).tls;
  }

  /** Sends once, and follows no redirect. Resolves when `signal` is aborted at the latest, and never rejects. */
  post(asked: WebPushRequest, signal: AbortSignal): Promise<Http2Outcome> {
    return new Promise((resolve) => {
      const { host, port, path } = asked.endpoint;
      const headers = { ...asked.headers, 'content-length': asked.body.length };
      const address = { method: 'POST', host, port, path, headers, agent: this.#agent };
      // Node does not pass the signal of a request on to the agent.
      const options = { ...address, signal, abandoned: signal };
      const sending = request(options);
      const fail = (error: Error) => resolve(outcomeOf(error, sending, signal));
      sending.on('error', fail);
      // Without a connection there is no event.
      signal.addEventListener('abort', () => fail(new Error('no answer in time')));
      sending.on('response', (response) => readAnswer(response, resolve));
      sending.on('socket', (socket) => {
        const send = () => {
          if (!asked.isWithdrawn()) sending.end(asked.body);
          else {
            resolve({ kind: 'withdrawn' });
            sending.destroy();
          }
        };
        // A kept connection is ready, also one that a waiting request gets; of a new one neither the name nor the certificate has been
        // checked yet.
        if (sending.reusedSocket || isReady(socket)) send();
        else socket.once('secureConnect', send);
      });
    });
  }

  /** Ends the kept connections. */
  close(): void {
    this.#agent.destroy();
  }
}

const isReady = (socket: Duplex): boolean => 'authorized' in socket && socket.authorized === true;

function outcomeOf(
  error: Error,
  { writableFinished: wasSent }: ClientRequest,
  { aborted }: AbortSignal,
): Http2Outcome {
  if (error instanceof ProxyFault) return answerOfProxyFault(error);
  const reason = aborted ? 'deadline' : 'connection';
  return { kind: 'unanswered', reason, ...(wasSent && { wasSent }) };
}

/** A success counts as soon as its status has arrived. */
function readAnswer(response: IncomingMessage, resolve: (outcome: Http2Outcome) => void): void {
  const { statusCode: status = 0, headers } = response;
  const parts: Buffer[] = [];
  let length = 0;
  const settle = () => {
    const body = Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES).toString();
    resolve({ kind: 'reply', status, retryAfter: headers['retry-after'], body });
  };
  if (status >= 200 && status < 300) {
    settle();
    // Nobody waits for the rest of a success: without an end it would keep its connection for ever.
    const late = setTimeout(() => response.destroy(), MAX_REST_MS).unref();
    response.once('close', () => clearTimeout(late));
  }
  response.on('data', (part: Buffer) => {
    length += part.length;
    parts.push(part);
    if (length < MAX_ANSWER_BYTES) return;
    settle();
    // The connection ends with it.
    response.destroy();
  });
  // 'close' follows an end, an error and a lost connection: the status is the answer.
  response.on('error', settle);
  response.on('close', settle);
  response.on('end', settle);
}
