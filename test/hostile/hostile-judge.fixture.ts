import type { RawReply } from './hostile-connection.fixture.js';
import type { HostileRequest } from './hostile-requests.fixture.js';

/** The fault of a response, or null. */
export function faultOf(request: HostileRequest, reply: RawReply | null): string | null {
  if (reply === null) return 'the connection was closed without a response';
  const { status, head, body } = reply;
  if (status >= 500) return `status ${status}: ${body.slice(0, 200)}`;
  if (/\r\nx-injected:/i.test(head)) return 'a header was injected';
  if (/\n\s+at .+:\d+:\d+/.test(body)) return `a stack trace: ${body.slice(0, 200)}`;
  if (hasOtherForm(request, reply)) return null;
  return isEnvelope(reply)
    ? null
    : `outside the envelope: ${head.split('\r\n')[0]} ${body.slice(0, 200)}`;
}

/** The few valid responses that are not JSON objects of the API. */
function hasOtherForm({ method, path }: HostileRequest, { status, head, body }: RawReply): boolean {
  if (method === 'HEAD' || status === 302) return body === '';
  if (method === 'OPTIONS' && status === 204) return body === '';
  if (path.startsWith('/calls/')) return /\r\ncontent-type: text\/html/i.test(head);
  if (path.startsWith('/health/')) return status === 200;
  return false;
}

function isEnvelope({ status, head, body }: RawReply): boolean {
  if (!/\r\ncontent-type: application\/json/i.test(head)) return false;
  try {
    // The following lines check the shape.
    const { result, msg, code } = JSON.parse(body) as Record<string, unknown>;
    if (status === 200) return result === 'success' && msg === '';
    return result === 'error' && typeof msg === 'string' && typeof code === 'string';
  } catch {
    return false;
  }
}
