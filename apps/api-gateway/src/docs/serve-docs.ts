import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { lazily } from '#platform/core';
import { API_PREFIX, fastifyOf } from '#platform/http';

const DOCUMENT_URL = `${API_PREFIX}/openapi.json`;

const START = `
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
  SwaggerUIBundle({
    url: '${DOCUMENT_URL}',
    dom_id: '#page',
    docExpansion: 'list',
    validatorUrl: null,
    onComplete: () => document.getElementById('servers')?.setAttribute('aria-label', 'Server'),
  });
`;

/** Some colours of Swagger UI have too little contrast. */
const STYLE = `
  :root:not(.dark-mode) .swagger-ui {
    .info .title small pre,
    .opblock .opblock-summary-method { color: #000; text-shadow: none; }
    .info a { color: #1d5fae; }
    .btn.authorize { border-color: #0b7048; color: #0b7048; }
    .btn.cancel { border-color: #b42318; color: #b42318; }
    .btn.execute { border-color: #1d5fae; background-color: #1d5fae; }
  }
  .dark-mode .swagger-ui .btn.cancel { color: #ff8a7f !important; }
`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Carillon API</title>
    <link rel="icon" href="/docs/assets/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
    <style>${STYLE}</style>
  </head>
  <body>
    <div id="page"></div>
    <script src="/docs/assets/swagger-ui-bundle.js"></script>
    <script>${START}</script>
  </body>
</html>
`;

/** Allows the scripts of the page, one inline script, and requests to this server. Swagger UI sets inline styles. */
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; script-src 'self' 'sha256-${hash('sha256', START, 'base64')}'; ` +
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Serves the OpenAPI document, which is made for its first reader, and a Swagger UI page. */
export async function serveDocs(
  app: NestFastifyApplication,
  makeDocument: () => Readonly<Record<string, unknown>>,
): Promise<void> {
  const fastify = fastifyOf(app);
  const body = lazily(() => JSON.stringify(makeDocument()));
  const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  await fastify.register(fastifyStatic, {
    root: assets,
    prefix: '/docs/assets/',
    index: false,
    setHeaders: (response) => void response.header('X-Content-Type-Options', 'nosniff'),
  });
  fastify.get(DOCUMENT_URL, (_request, reply) => reply.type('application/json').send(body()));
  fastify.get('/docs', (_request, reply) => reply.headers(PAGE_HEADERS).send(PAGE));
}
