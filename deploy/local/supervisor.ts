import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { childEnvironment } from '#platform/config';
import { type Backoff, backoffMs } from '#platform/core';
import { LocalStackError, type Progress } from './command.js';
import { OwnProcess } from './own-process.js';
import { waitUntil } from './wait-until.js';

const READY_DEADLINE_MS = 60_000;
const STOP_GRACE_MS = 10_000;

/** One program of this project. */
export interface Program {
  /** The name of its folder under apps/. */
  readonly name: string;
  /** Additional arguments of node. */
  readonly nodeArgs: readonly string[];
  /** Default environment variables; the user may override them. */
  readonly environment: Readonly<Record<string, string>>;
  /** Answers 200 when the program is ready. */
  readonly readyUrl: string;
}

/** A running process, and how to start it again. */
interface Restartable {
  readonly process: OwnProcess;
  readonly spawn: () => OwnProcess;
}

interface Running {
  readonly name: string;
  readonly spawn: () => OwnProcess;
  process: OwnProcess;
  startedAt: number;
  restart?: { deaths: number; timer: NodeJS.Timeout };
}

/** Runs programs: prints their logs, restarts them and the stores after a crash, and stops them in order. */
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
   * Starts a program and waits until it is ready. Rejects when it ends before. Later it is restarted after each crash.
   */
  async start(program: Program): Promise<void> {
    const spawn = () => this.#spawn(program);
    const running = this.#add(program.name, { process: spawn(), spawn });
    const isReady = waitUntil(
      `${program.name} serves ${program.readyUrl}`,
      () => isServing(program.readyUrl),
      READY_DEADLINE_MS,
    );
    isReady.catch(() => undefined);
    await Promise.race([isReady, failsWhenEnded(running)]);
    void this.#watch(running);
  }

  /** Restarts a running process after each crash, and stops it after the programs that are started later. */
  watch(name: string, process: Restartable): void {
    void this.#watch(this.#add(name, process));
  }

  /** Stops the programs one after another, the one that was started last first. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const running of this.#running.toReversed()) {
      clearTimeout(running.restart?.timer);
      await running.process.stop();
    }
  }

  #add(name: string, { process, spawn }: Restartable): Running {
    const running = { name, process, spawn, startedAt: performance.now() };
    this.#running.push(running);
    return running;
  }

  async #watch(running: Running): Promise<void> {
    const how = await running.process.ended;
    if (this.#isStopping) return;
    const uptimeMs = performance.now() - running.startedAt;
    const deaths = crashesInARow(running.restart?.deaths ?? 0, uptimeMs);
    const delayMs = restartDelayMs(deaths);
    const notice = `ended (${how}); starting it again in ${delayMs / 1000} s`;
    this.#log.line(running.name, this.progress.paint('red', notice));
    const timer = setTimeout(() => {
      running.process = running.spawn();
      running.startedAt = performance.now();
      void this.#watch(running);
    }, delayMs);
    running.restart = { deaths, timer };
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

async function failsWhenEnded({ name, process: own }: Running): Promise<never> {
  const how = await own.ended;
  throw new LocalStackError(`${name} ended before it was ready (${how}); its log is above.`);
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

const RESTART: Backoff = { firstMs: 500, maxMs: 10_000 };
/** A program that has run for this long restarts with the shortest delay. */
const STABLE_MS = 30_000;

/** The number of crashes in a row, after `before` earlier ones and this one. */
export const crashesInARow = (before: number, uptimeMs: number): number =>
  uptimeMs >= STABLE_MS ? 1 : before + 1;

/** The delay before a restart in milliseconds. */
export const restartDelayMs = (deaths: number): number => backoffMs(deaths, RESTART);

const COLORS = ['cyan', 'magenta', 'yellow', 'green', 'blue'] as const;

/** Prints what programs log, each line behind the aligned and coloured name of its program. */
export class ProgramLog {
  readonly #width: number;

  constructor(
    private readonly names: readonly string[],
    private readonly progress: Progress,
  ) {
    this.#width = Math.max(...names.map((name) => name.length));
  }

  /** Prints the lines of a stream until it ends. */
  follow(name: string, stream: Readable): void {
    createInterface({ input: stream }).on('line', (line) => this.line(name, line));
  }

  line(name: string, text: string): void {
    const color = COLORS[this.names.indexOf(name) % COLORS.length] ?? 'white';
    const shown = this.progress.hasColors ? text : stripVTControlCharacters(text);
    this.progress.print(`${this.progress.paint(color, `${name.padEnd(this.#width)} │`)} ${shown}`);
  }
}
