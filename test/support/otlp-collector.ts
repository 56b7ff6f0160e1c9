import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const attribute = z.object({
  key: z.string(),
  value: z.record(z.string(), z.unknown()).transform((value) => Object.values(value)[0]),
});

const span = z
  .object({
    traceId: z.string(),
    spanId: z.string(),
    parentSpanId: z.string().optional(),
    name: z.string(),
    kind: z.int(),
    attributes: z.array(attribute),
    links: z.array(z.object({ traceId: z.string(), spanId: z.string() })),
    status: z.object({ code: z.int(), message: z.string().optional() }),
  })
  .transform(({ attributes, ...rest }) => ({
    ...rest,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, value])),
  }));

const batch = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(span) })) })),
});

/** A span, as a collector receives it. */
export type CollectedSpan = z.infer<typeof span>;

/** A collector of OpenTelemetry (OTLP over HTTP, in JSON) on the loopback address, which records all requests. */
export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  /** The bodies as received. */
  readonly bodies: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpCollector> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        if (request.url === '/v1/traces') collector.#take(body);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const collector = new OtlpCollector(server);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return collector;
  }

  get endpoint(): string {
    // A server on TCP has an address of this shape.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The span with this name; throws unless it is the only span. */
  only(name: string): CollectedSpan {
    const [found, ...others] = this.spans.filter((one) => one.name === name);
    if (found === undefined || others.length > 0) {
      const names = this.spans.map((one) => one.name).join(', ');
      throw new Error(`Expected one span "${name}" among: ${names}`);
    }
    return found;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => {
      this.server.close(resolve);
    });
  }

  #take(body: string): void {
    this.bodies.push(body);
    const { resourceSpans } = batch.parse(JSON.parse(body));
    this.spans.push(
      ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((s) => s.spans)),
    );
  }
}
