import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A remote server that is asked for its verification secret over HTTPS. */
export class RemoteHost {
  /** Undefined while it does not answer at all. */
  answer: { readonly status: number; readonly body: unknown } | undefined;
  /** The paths of the requests. */
  readonly paths: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(identity: { readonly key: string; readonly cert: string }) {
    const server = createServer(identity);
    const host = new RemoteHost(server);
    server.on('request', (request, response) => {
      host.paths.push(request.url ?? '');
      if (host.answer === undefined) return;
      const { status, body } = host.answer;
      response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return host;
  }

  get name(): string {
    return `localhost:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
