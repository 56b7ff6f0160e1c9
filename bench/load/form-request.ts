import type { BenchUser } from '../world/bench-world.js';

const authorization = ({ email, apiKey }: BenchUser): string =>
  `Authorization: Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;

/** A complete GET request; the path is ASCII and URL-encoded. */
export const getRequest = (host: string, path: string, user: BenchUser): string =>
  `GET /api/v1${path} HTTP/1.1\r\nHost: ${host}\r\n${authorization(user)}\r\n\r\n`;

/** The requests of one account to one endpoint. The constant part is built once. */
export class FormRequest {
  readonly #head: string;

  constructor(host: string, path: string, user: BenchUser, moreHeaders: readonly string[] = []) {
    this.#head = [
      `POST /api/v1${path} HTTP/1.1`,
      `Host: ${host}`,
      authorization(user),
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
