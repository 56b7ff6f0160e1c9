import { createServer, type Server } from 'node:http';
import { errorText } from './error-text.js';

/** One part that must work for the program to serve; rejects or throws when it does not. */
export interface HealthCheck {
  readonly name: string;
  check(): Promise<void>;
}

/** What the checks found: `failing` maps a part's name to its trouble. */
export interface HealthReport {
  readonly status: 'ok' | 'failing';
  readonly failing: Readonly<Record<string, string>>;
}

/** A part that does not answer within this counts as failing. */
const CHECK_DEADLINE_MS = 2000;

/** Runs all checks at the same time; never rejects. */
export async function checkHealth(checks: readonly HealthCheck[]): Promise<HealthReport> {
  const failing: Record<string, string> = {};
  await Promise.all(
    checks.map(async (part) => {
      try {
        await withinDeadline(part.check());
      } catch (error) {
        failing[part.name] = errorText(error);
      }
    }),
  );
  return { status: Object.keys(failing).length === 0 ? 'ok' : 'failing', failing };
}

async function withinDeadline(check: Promise<void>): Promise<void> {
  const deadline = AbortSignal.timeout(CHECK_DEADLINE_MS);
  await Promise.race([
    check,
    new Promise<never>((_resolve, reject) => {
      deadline.addEventListener('abort', () => reject(new Error('does not answer')));
    }),
  ]);
}

/**
 * Serves `/health/live` (200 while the process runs) and `/health/ready` (200, or 503 with the failing
 * parts named) for a program that has no HTTP of its own. Resolves when it listens.
 */
export async function startHealthServer(
  address: { readonly host: string; readonly port: number },
  checks: readonly HealthCheck[],
): Promise<Server> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '', checks).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address.port, address.host, resolve);
  });
  return server;
}

async function answer(
  url: string,
  checks: readonly HealthCheck[],
): Promise<{ status: number; body: string }> {
  if (url === '/health/live') return { status: 200, body: '{"status":"ok"}' };
  if (url !== '/health/ready') return { status: 404, body: '{"status":"not found"}' };
  const report = await checkHealth(checks);
  return { status: report.status === 'ok' ? 200 : 503, body: JSON.stringify(report) };
}
