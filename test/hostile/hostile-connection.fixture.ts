import { connect } from 'node:net';

/** A response, taken apart as far as it is looked at. */
export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Sends bytes over a connection of their own and resolves with the first final response; null where the connection
 * was closed without one. Rejects when nothing has come in time.
 */
export function exchange(
  port: number,
  bytes: Buffer,
  deadlineMs: number,
): Promise<RawReply | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no response within ${deadlineMs} ms`));
    }, deadlineMs);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // Of a server that has refused a body and closed: the response may have come all the same.
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

/** Good enough for what is ASCII at its ends: only files come in chunks. */
const unchunked = (text: string): string =>
  text.replace(/^[0-9a-f]+\r\n/i, '').replace(/\r\n0\r\n\r\n$/, '');
