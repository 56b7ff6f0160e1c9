import type { BenchUser } from '../world/bench-world.js';

/** The requests of one account to one endpoint. The constant part is built once. */
export class FormRequest {
  readonly #head: string;

  constructor(
    host: string,
    path: string,
    { email, apiKey }: BenchUser,
    moreHeaders: readonly string[] = [],
  ) {
    const credentials = Buffer.from(`${email}:${apiKey}`).toString('base64');
    this.#head = [
      `POST /api/v1${path} HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Basic ${credentials}`,
      ...moreHeaders,
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: ',
    ].join('\r\n');
  }

  /** A complete request with these fields, which are ASCII and URL-encoded. */
  with(fields: string): string {
    return `${this.#head}${fields.length}\r\n\r\n${fields}`;
  }
}
