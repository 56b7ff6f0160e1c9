import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PresenceRequest } from '#platform/contracts';
import type { Asking, Transport } from './transport.js';

/** The result of one run. CPU is per request, of the named process. */
export interface TransportFigures {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly frontCpuUs: number;
  readonly backCpuUs: number;
}

/** The answer. */
export interface AnswerForm {
  readonly bytes: number;
  /** False: text. */
  readonly isCompressed: boolean;
}

interface Load {
  /** The repeated request. */
  readonly request: PresenceRequest;
  readonly answer: AnswerForm;
  /** The number of requests in flight. */
  readonly concurrency: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/** Runs the server in another process and sends requests as fast as it answers. */
export async function measureTransport(
  transport: Transport,
  load: Load,
): Promise<TransportFigures> {
  const program = fileURLToPath(new URL('./answering.process.js', import.meta.url));
  const { bytes, isCompressed } = load.answer;
  const child = fork(program, [transport.title, String(bytes), String(isCompressed)]);
  try {
    const { port } = await nextMessage<{ port: number }>(child);
    const asking = await transport.connect(port);
    await keepAsking(asking, load, load.warmUpMs);
    const backBefore = await cpuOf(child);
    const frontBefore = process.cpuUsage();
    const latencies = await keepAsking(asking, load, load.durationMs);
    const front = process.cpuUsage(frontBefore);
    const backCpuUs = (await cpuOf(child)) - backBefore;
    await asking.close();
    return figuresOf(latencies, load.durationMs, front.user + front.system, backCpuUs);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

/** Resolves with the duration of each request, in milliseconds. */
async function keepAsking(asking: Asking, load: Load, durationMs: number): Promise<number[]> {
  const endsAt = performance.now() + durationMs;
  const latencies: number[] = [];
  const askInTurn = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const startedAt = performance.now();
      const answer = await asking.ask(load.request);
      const { length } = typeof answer === 'string' ? answer : answer.body;
      if (length !== load.answer.bytes) throw new Error(`An answer of ${length} bytes`);
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: load.concurrency }, askInTurn));
  return latencies;
}

function figuresOf(
  latencies: number[],
  durationMs: number,
  frontCpuUs: number,
  backCpuUs: number,
): TransportFigures {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return {
    requestsPerSecond: (sorted.length / durationMs) * 1000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    frontCpuUs: frontCpuUs / sorted.length,
    backCpuUs: backCpuUs / sorted.length,
  };
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  return (await nextMessage<{ cpuUs: number }>(child)).cpuUs;
}

/** The server process sends only the requested messages, in this order. */
async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, 'message');
  return message as Message;
}
