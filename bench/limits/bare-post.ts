import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';

/** A client without deadlines, retries or a pool. */
export interface BareSender {
  /** Resolves when the notification was accepted; rejects otherwise. */
  send(token: string): Promise<void>;
}

/** Sends one request; resolves when it was answered with this status. */
export function postBare(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: Buffer,
  accepted: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let status: number | undefined;
    stream.on('response', (answer) => (status = answer[':status']));
    stream.on('error', reject);
    stream.on('close', () => {
      if (status === accepted) resolve();
      else reject(new Error(`The provider answered with ${status}`));
    });
    stream.resume();
    stream.end(body);
  });
}
