import { connect } from 'node:net';

/** The used parts of a response. */
export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Sends bytes over a new connection and resolves with the first final response, or with null if the server closes the
 * connection without one. Rejects if the connection is still open after the deadline. Of a long response only the first
 * `keptBytes` are kept.
 */
export function exchange(
  port: number,
  bytes: Buffer,
  deadlineMs: number,
  keptBytes = Infinity,
): Promise<RawReply | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let kept = 0;
    const socket = connect(port, '127.0.0.1');
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no response within ${deadlineMs} ms`));
    }, deadlineMs);
    socket.on('data', (chunk: Buffer) => {
      if (kept < keptBytes) chunks.push(chunk);
      kept += chunk.length;
    });
    // A server that refuses a body resets the connection, possibly after its response has arrived.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(parseReply(Buffer.concat(chunks).toString('utf8')));
    });
    socket.write(bytes);
  });
}

function parseReply(text: string): RawReply | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const head = text.slice(0, end);
  const rest = text.slice(end + 4);
  const status = Number(head.split(' ')[1]);
  if (status >= 100 && status < 200) return parseReply(rest);
  return {
    status,
    head,
    body: /\r\ntransfer-encoding: chunked/i.test(head) ? unchunked(rest) : rest,
  };
}

/** Sufficient for one chunk with ASCII at both ends, because only files are sent in several chunks. */
const unchunked = (text: string): string =>
  text.replace(/^[0-9a-f]+\r\n/i, '').replace(/\r\n0\r\n\r\n$/, '');
