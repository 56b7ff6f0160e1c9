import { createServer, type Server } from 'node:http';
import { errorText } from './error-text.js';
import { withinDeadline } from './within-deadline.js';

/** One part that must work for the program to serve; rejects or throws when it does not. */
export interface HealthCheck {
  readonly name: string;
  /** The program serves all the same: it is told, and nothing counts as failing. */
  readonly isWarning?: boolean;
  check(): Promise<void>;
}

/**
 * A part without which a program must not begin to serve, and without which it serves on: failing until it has passed
 * for the first time, a warning after that.
 */
export function neededAtStart(part: HealthCheck): HealthCheck {
  let hasPassed = false;
  return {
    name: part.name,
    get isWarning() {
      return hasPassed;
    },
    check: async () => {
      await part.check();
      hasPassed = true;
    },
  };
}

/** What the checks found: `failing` and `warnings` map a part's name to its trouble. */
export interface HealthReport {
  readonly status: 'ok' | 'failing';
  readonly failing: Readonly<Record<string, string>>;
  /** Left out when there are none. */
  readonly warnings?: Readonly<Record<string, string>>;
}

/** A part that does not answer within this counts as failing. */
const CHECK_DEADLINE_MS = 2000;

/** Runs all checks at the same time; never rejects. */
export async function checkHealth(checks: readonly HealthCheck[]): Promise<HealthReport> {
  const failing: Record<string, string> = {};
  const warnings: Record<string, string> = {};
  await Promise.all(
    checks.map(async (part) => {
      try {
        await withinDeadline(CHECK_DEADLINE_MS, part.check(), doesNotAnswer);
      } catch (error) {
        const found = part.isWarning === true ? warnings : failing;
        found[part.name] = errorText(error);
      }
    }),
  );
  return {
    status: isEmpty(failing) ? 'ok' : 'failing',
    failing,
    ...(!isEmpty(warnings) && { warnings }),
  };
}

const doesNotAnswer = (): Promise<never> => Promise.reject(new Error('does not answer'));

const isEmpty = (found: object): boolean => Object.keys(found).length === 0;

/** What a program tells of itself in numbers, at `/metrics`. */
export interface MetricsPage {
  readonly contentType: string;
  read(): Promise<string>;
}

interface Answer {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
}

/**
 * Serves `/health/live` (200 while the process runs), `/health/ready` (200, or 503 with the failing parts
 * named) and, where metrics are given, `/metrics`: without a sign-in, and apart from any other HTTP of the
 * program. Resolves when it listens.
 */
export async function startHealthServer(
  address: { readonly host: string; readonly port: number },
  checks: readonly HealthCheck[],
  metrics?: MetricsPage,
): Promise<Server> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '', checks, metrics)
      .catch((error: unknown) => ({
        status: 503,
        body: JSON.stringify({ status: errorText(error) }),
      }))
      .then(({ status, contentType = 'application/json', body }: Answer) => {
        response.writeHead(status, { 'content-type': contentType }).end(body);
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
  metrics: MetricsPage | undefined,
): Promise<Answer> {
  if (url === '/metrics' && metrics !== undefined) {
    return { status: 200, contentType: metrics.contentType, body: await metrics.read() };
  }
  if (url === '/health/live') return { status: 200, body: '{"status":"ok"}' };
  if (url !== '/health/ready') return { status: 404, body: '{"status":"not found"}' };
  const report = await checkHealth(checks);
  return { status: report.status === 'ok' ? 200 : 503, body: JSON.stringify(report) };
}
