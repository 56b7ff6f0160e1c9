import { Agent, type IncomingHttpHeaders, request } from 'node:http';

const DEADLINE_MS = 60_000;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** The response of a server. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed JSON object; empty if the body is anything else. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface OutgoingRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** How long no data may arrive; a minute by default. */
  readonly deadlineMs?: number;
}

/**
 * Sends a request over node:http, which unlike `fetch` allows every header, including `Host`. Rejects if the connection
 * breaks or no data arrives until the deadline.
 */
export function sendRequest(
  url: string,
  { method, headers, body, deadlineMs = DEADLINE_MS }: OutgoingRequest = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    // Node omits the length for DELETE, as if such a request had no body.
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { method, headers: { ...length, ...headers }, agent, timeout: deadlineMs };
    const outgoing = request(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const status = incoming.statusCode ?? 0;
        resolve({ status, headers: incoming.headers, text, body: parseObject(text) });
      });
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`No answer: ${method ?? 'GET'} ${url}`)),
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Closes connections without a request: a server may have closed them unnoticed since the last test file. */
export function closeIdleConnections(): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

function parseObject(text: string): Record<string, unknown> {
  if (!text.startsWith('{')) return {};
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
