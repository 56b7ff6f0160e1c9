const BOUNDARY = 'between-the-parts';

/** One part of a multipart body. */
export interface Part {
  /** The parameters of its Content-Disposition, such as `name="file"; filename="a.txt"`. */
  readonly disposition: string;
  readonly type?: string;
  readonly body: string | Buffer;
}

interface MultipartRequest {
  readonly headers: { readonly 'content-type': string };
  readonly body: Buffer;
}

export const filePart = (name: string, body: string | Buffer, type?: string): Part => ({
  disposition: `name="file"; filename="${name}"`,
  body,
  ...(type !== undefined && { type }),
});

/** A picture of one white pixel. */
export const gif = Buffer.from(
  'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'base64',
);

/** A multipart body with its header. */
export function multipart(...parts: readonly Part[]): MultipartRequest {
  const chunks = parts.flatMap(({ disposition, type, body }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n`,
    type === undefined ? '' : `Content-Type: ${type}\r\n`,
    '\r\n',
    body,
    '\r\n',
  ]);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.concat([...chunks, `--${BOUNDARY}--\r\n`].map((chunk) => Buffer.from(chunk))),
  };
}
