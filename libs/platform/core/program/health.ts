import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerAddress } from '#platform/config';
import { withinDeadline } from '../scheduling/deadline.js';
import { errorText } from '../failures/errors.js';

/** The check of one part of a program; `check` rejects or throws when the part does not work. */
export interface HealthCheck {
  readonly name: string;
  /**
   * Where the part is, and the variable that says so: `db:5432 (DATABASE_URL)`. Only for the log: anyone may request the
   * report.
   */
  readonly place?: string;
  /** The program serves without this part: a failure is reported as a warning. */
  readonly isWarning?: boolean;
  check(): Promise<void>;
}

/**
 * A check that a program needs only at its start: a failure until the check has passed once, and a warning afterwards.
 */
export function neededAtStart(part: HealthCheck): HealthCheck {
  let hasPassed = false;
  return {
    name: part.name,
    ...(part.place !== undefined && { place: part.place }),
    get isWarning() {
      return hasPassed;
    },
    check: async () => {
      await part.check();
      hasPassed = true;
    },
  };
}

/** The result of the checks. `failing` and `warnings` map the name of a part to its error text. */
export interface HealthReport {
  readonly status: 'ok' | 'failing';
  readonly failing: Readonly<Record<string, string>>;
  /** Omitted without warnings. */
  readonly warnings?: Readonly<Record<string, string>>;
}

/** The timeout of one check. */
const CHECK_DEADLINE_MS = 2000;

/** Runs all checks at the same time; never rejects. */
export async function checkHealth(checks: readonly HealthCheck[]): Promise<HealthReport> {
  const failing: Record<string, string> = {};
  const warnings: Record<string, string> = {};
  await Promise.all(
    checks.map(async (part) => {
      try {
        await withinDeadline(CHECK_DEADLINE_MS, part.check(), rejectAsUnanswered);
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

const rejectAsUnanswered = (): Promise<never> => Promise.reject(new Error('does not answer'));

const isEmpty = (found: object): boolean => Object.keys(found).length === 0;

/** The content of `/metrics`. */
interface MetricsPage {
  readonly contentType: string;
  read(): Promise<string>;
}

interface Answer {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
}

/**
 * Starts a server for `/health/live` (200 while the process runs), `/health/ready` (200, or 503 with the names of the
 * failing parts) and, with `metrics`, `/metrics`. It requires no sign-in. Resolves when the server listens.
 */
export async function startHealthServer(
  address: ServerAddress,
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

/**
 * Delays the shutdown: readiness fails at once, so that load balancers send no new requests, and the port closes later.
 * Requests that arrive in between are answered.
 */
export class Drain {
  #isDraining = false;

  /** Zero: no delay. */
  constructor(private readonly delayMs: number) {}

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Starts the drain; resolves when the port may be closed. */
  async run(): Promise<void> {
    this.#isDraining = true;
    if (this.delayMs > 0) await delay(this.delayMs);
  }

  readonly healthCheck: HealthCheck = {
    name: 'shutdown',
    check: async () => {
      if (this.#isDraining) throw new Error('the program is stopping');
    },
  };
}
