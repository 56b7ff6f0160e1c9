import type { Readable } from 'node:stream';

/**
 * Reads a request's body; what exceeds `mostBytes` is taken off the wire but not kept, except one
 * byte, so that the length still tells that it was too much. Undefined when the client left first.
 */
export async function readBody(stream: Readable, mostBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      // A stream without an encoding gives buffers.
      const bytes: Buffer = chunk;
      if (length <= mostBytes) chunks.push(bytes);
      length += bytes.length;
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes + 1);
}

/** The headers with one value each; of those that Node gives as a list, the first value. */
export function singleHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const first = typeof value === 'string' ? value : value?.[0];
    if (first !== undefined) single[name] = first;
  }
  return single;
}

/** The headers that may be shown: without credentials and without HTTP/2's own fields. */
export function visibleHeaders(
  headers: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const visible: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':')) continue;
    visible[name] = name === 'authorization' ? '(hidden)' : value;
  }
  return visible;
}

/** The payload as JSON; its text when it is none. */
export function payloadOf(body: Buffer): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
