import path from 'node:path';
import { childEnvironment } from '#config';
import { LocalStackError, type Progress } from './command.js';
import { OwnProcess } from './own-process.js';
import { ProgramLog } from './program-log.js';
import { restartDelayMs } from './supervisor.rules.js';
import { waitUntil } from './wait-until.js';

const READY_DEADLINE_MS = 60_000;
const STOP_GRACE_MS = 10_000;

/** One of our programs. */
export interface Program {
  /** As its folder under apps/ is called. */
  readonly name: string;
  /** What node is told besides what all programs are started with. */
  readonly nodeArgs: readonly string[];
  /** What it is to find in its environment unless the user has set that. */
  readonly environment: Readonly<Record<string, string>>;
  /** Answers 200 when it serves. */
  readonly readyUrl: string;
}

interface Running {
  readonly program: Program;
  process: OwnProcess;
  startedAt: number;
  restart?: { delayMs: number; timer: NodeJS.Timeout };
}

/** Runs programs: shows what they log, starts one again that died, and stops all in order. */
export class Supervisor {
  readonly #running: Running[] = [];
  readonly #log: ProgramLog;
  #isStopping = false;

  constructor(
    private readonly root: string,
    names: readonly string[],
    private readonly progress: Progress,
  ) {
    this.#log = new ProgramLog(names, progress);
  }

  /**
   * Starts a program and waits until it serves. Rejects when it ends before that: it will not get
   * better by itself. After that it is started again whenever it dies.
   */
  async start(program: Program): Promise<void> {
    const running: Running = {
      program,
      process: this.#spawn(program),
      startedAt: performance.now(),
    };
    this.#running.push(running);
    const isReady = waitUntil(
      `${program.name} serves ${program.readyUrl}`,
      () => isServing(program.readyUrl),
      READY_DEADLINE_MS,
    );
    isReady.catch(() => undefined);
    await Promise.race([isReady, failsWhenEnded(running)]);
    void this.#watch(running);
  }

  /** Stops the programs one after another, the one that was started last first. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const running of this.#running.toReversed()) {
      clearTimeout(running.restart?.timer);
      await running.process.stop();
    }
  }

  async #watch(running: Running): Promise<void> {
    const how = await running.process.ended;
    if (this.#isStopping) return;
    const livedMs = performance.now() - running.startedAt;
    const delayMs = restartDelayMs(running.restart?.delayMs, livedMs);
    const notice = `ended (${how}); starting it again in ${delayMs / 1000} s`;
    this.#log.line(running.program.name, this.progress.paint('red', notice));
    const timer = setTimeout(() => {
      running.process = this.#spawn(running.program);
      running.startedAt = performance.now();
      void this.#watch(running);
    }, delayMs);
    running.restart = { delayMs, timer };
  }

  #spawn({ name, nodeArgs, environment }: Program): OwnProcess {
    const spawned = new OwnProcess({
      command: process.execPath,
      args: [
        '--enable-source-maps',
        ...nodeArgs,
        path.join(this.root, 'dist/apps', name, 'src/main.js'),
      ],
      cwd: this.root,
      env: childEnvironment({}, environment),
      stdio: ['ignore', 'pipe', 'pipe'],
      stopSignal: 'SIGTERM',
      graceMs: STOP_GRACE_MS,
    });
    for (const stream of [spawned.child.stdout, spawned.child.stderr]) {
      if (stream) this.#log.follow(name, stream);
    }
    return spawned;
  }
}

async function failsWhenEnded({ program, process: own }: Running): Promise<never> {
  const how = await own.ended;
  throw new LocalStackError(
    `${program.name} ended before it was ready (${how}); its log is above.`,
  );
}

async function isServing(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
