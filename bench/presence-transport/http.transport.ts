import { once } from 'node:events';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import type { PresenceAnswer, PresenceRequest } from '#platform/contracts';
import { HOST, readRequest, type Transport } from './transport.js';

/** HTTP/1.1 with keep-alive. */
export const httpTransport: Transport = {
  title: 'HTTP/1.1, keep-alive',

  async serve(answer) {
    const server = createServer((request, response) => {
      void text(request)
        .then((body) => answer(readRequest(body)))
        .then((answered) => {
          if (typeof answered === 'string') return response.end(answered);
          return response.setHeader('content-encoding', 'gzip').end(answered.body);
        });
    });
    server.listen(0, HOST);
    await once(server, 'listening');
    // A listening TCP server has an address of this form.
    return (server.address() as AddressInfo).port;
  },

  async connect(port) {
    const agent = new Agent({ keepAlive: true });
    const ask = (asked: PresenceRequest) =>
      new Promise<PresenceAnswer>((resolve, reject) => {
        const sent = httpRequest({ host: HOST, port, agent, method: 'POST' }, (response) => {
          if (response.headers['content-encoding'] === undefined) {
            text(response).then(resolve, reject);
          } else {
            buffer(response).then((body) => resolve({ encoding: 'gzip', body }), reject);
          }
        });
        sent.once('error', reject).end(JSON.stringify(asked));
      });
    return { ask, close: () => agent.destroy() };
  },
};
