import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { API_PREFIX, fastifyOf } from '#edge';

const DOCUMENT_URL = `${API_PREFIX}/openapi.json`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Carillon API</title>
    <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
  </head>
  <body>
    <div id="page"></div>
    <script src="/docs/assets/swagger-ui-bundle.js"></script>
    <script>
      SwaggerUIBundle({ url: '${DOCUMENT_URL}', dom_id: '#page', docExpansion: 'list' });
    </script>
  </body>
</html>
`;

/** Serves the OpenAPI document, and a page to read and try it on. Call it before the app listens. */
export async function serveDocs(
  app: NestFastifyApplication,
  document: Readonly<Record<string, unknown>>,
): Promise<void> {
  const fastify = fastifyOf(app);
  const body = JSON.stringify(document);
  const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  await fastify.register(fastifyStatic, { root: assets, prefix: '/docs/assets/', index: false });
  fastify.get(DOCUMENT_URL, (_request, reply) => reply.type('application/json').send(body));
  fastify.get('/docs', (_request, reply) => reply.type('text/html').send(PAGE));
}
