import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { normalizedHost } from '#platform/contracts';
import { fastifyOf } from '#platform/http';
import { BASE_STYLES, ServedFiles } from '#platform/pages';

/** The page loads only its own files, and requests only its own server. Formulas have inline styles. */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; " +
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
} as const;

// Sources and compiled files have the same relative path to it.
const files = new ServedFiles()
  .addFolder(fileURLToPath(new URL('public', import.meta.url)))
  .addFile(BASE_STYLES);

/** The part of `demo.json` that the page needs. */
const demoFile = z.object({
  demo_page: z.object({ secret: z.string().min(1) }),
  sandbox_url: z.string(),
  users: z.record(
    z.string(),
    z.object({ email: z.string(), full_name: z.string(), api_key: z.string(), role: z.string() }),
  ),
});

/** The bots of the demo organisation, and its deactivated account: no person signs in as one of them. */
const HIDDEN_ACCOUNTS = new Set(['admin_bot', 'alice_bot', 'dora']);

/** Where the demo page gets its accounts, and the address that its visitors use. */
interface DemoPlace {
  /** The path of `demo.json`. */
  readonly file: string;
  readonly externalUrl: string;
}

/**
 * Serves the demo page at `/demo`: a small web client, which signs in as any account of the demo organisation without a
 * password. The page is therefore sent to this computer only, and only under the address of the gateway. A page of another
 * site cannot read it. A proxy or another user of the computer can, so the keys of the accounts need the secret of
 * `demo.json` too, which is in the fragment of the address that `npm start` prints.
 */
export async function serveDemo(app: NestFastifyApplication, place: DemoPlace): Promise<void> {
  const fastify = fastifyOf(app);
  const { host } = new URL(place.externalUrl);
  const guard = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isOfThisComputer(request) || normalizedHost(request.headers.host ?? '') !== host)
      reply.callNotFound();
  };
  await fastify.register(async (pages) => {
    pages.addHook('onRequest', guard);
    pages.get('/demo', (_request, reply) => send(reply, 'demo.html'));
    pages.get<{ Params: { name: string } }>('/demo/files/:name', ({ params }, reply) =>
      send(reply, params.name),
    );
    pages.get('/demo/accounts', async ({ headers }, reply) => {
      // Read each time: the file changes with every replaced key. A database of other organisations has no such file.
      const text = await readFile(place.file, 'utf8').catch(() => null);
      const { data: demo } = demoFile.safeParse(text === null ? null : JSON.parse(text));
      if (demo === undefined || !isSecret(headers['x-demo-secret'], demo.demo_page.secret)) {
        reply.callNotFound();
        return reply;
      }
      const accounts = Object.entries(demo.users)
        .filter(([name]) => !HIDDEN_ACCOUNTS.has(name))
        .map(([name, account]) => ({ name, ...account }));
      return reply
        .header('Cache-Control', 'no-store')
        .send({ accounts, sandboxUrl: demo.sandbox_url });
    });
  });
}

async function send(reply: FastifyReply, name: string): Promise<FastifyReply> {
  const file = await files.read(name);
  if (file === null) {
    reply.callNotFound();
    return reply;
  }
  return reply.headers(PAGE_HEADERS).type(file.type).send(file.content);
}

/** Compares in a time that does not depend on how much of it is right. */
const isSecret = (given: string | string[] | undefined, secret: string): boolean =>
  timingSafeEqual(digestOf(String(given)), digestOf(secret));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether a request comes from this computer, and not through a proxy. */
function isOfThisComputer({ socket, headers }: FastifyRequest): boolean {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const isLoopback = address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
  return isLoopback && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined;
}
