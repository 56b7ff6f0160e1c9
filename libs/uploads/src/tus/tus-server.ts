import { Server } from '@tus/server';

/** What the protocol has a status of its own for, by the library's words. */
const statuses: readonly (readonly [RegExp, number])[] = [
  [/^Invalid .*tus-resumable/, 412],
  [/^(?:Invalid content-type|Content-Type header required)$/, 415],
];

/** The library's server, whose answers tell when they are JSON, and keep to the protocol's statuses. */
export class TusServer extends Server {
  override write(...[context, headers, given, body = '']: Parameters<Server['write']>) {
    const [, status = given] = statuses.find(([words]) => words.test(body.trimEnd())) ?? [];
    if (status === 412) headers.set('Tus-Version', '1.0.0');
    if (body.startsWith('{')) headers.set('Content-Type', 'application/json');
    return super.write(context, headers, status, body);
  }
}
