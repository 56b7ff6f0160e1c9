import { Server } from '@tus/server';

/** The library's server, whose answers tell when they are JSON. */
export class TusServer extends Server {
  override write(...[context, headers, status, body]: Parameters<Server['write']>) {
    if (body?.startsWith('{') === true) headers.set('Content-Type', 'application/json');
    return super.write(context, headers, status, body);
  }
}
