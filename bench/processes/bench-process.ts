import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { childEnvironment } from '#config';
import type { Serializable } from 'node:child_process';
import { OwnProcess } from '../../deploy/local/own-process.js';
import type { ParentReply } from './answer-parent.js';
import type { ProcessPlace } from './process-place.js';

const STOP_GRACE_MS = 2000;

/** A helper of the bench in a process of its own, so that it shares no event loop with anything. */
export class BenchProcess<Question extends Serializable> {
  readonly #process: OwnProcess;
  readonly #logFile: string;

  /** `module` is a compiled file of the bench, relative to its folder, that calls answerParent. */
  constructor(
    private readonly module: string,
    { root, logFolder }: ProcessPlace,
  ) {
    this.#logFile = path.join(
      logFolder,
      `${path.basename(module, '.js')}-${process.hrtime.bigint()}.log`,
    );
    const log = openSync(this.#logFile, 'a', 0o600);
    this.#process = new OwnProcess({
      command: process.execPath,
      args: [path.join(root, 'dist/bench', module)],
      cwd: root,
      env: childEnvironment({}),
      stdio: ['ignore', log, log, 'ipc'],
      stopSignal: 'SIGTERM',
      graceMs: STOP_GRACE_MS,
    });
    closeSync(log);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Asks one question; the next must wait for the answer. Rejects when the process fails or ends. */
  async ask<Result>(question: Question): Promise<Result> {
    const { child } = this.#process;
    const answered = once(child, 'message');
    child.send(question);
    // answerParent sends nothing else.
    const [reply] = (await Promise.race([answered, this.#failsWhenEnded()])) as [ParentReply];
    if ('failure' in reply) throw new Error(`${this.module} failed.\n${reply.failure}`);
    // The caller names the type that goes with its question.
    return reply.result as Result;
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  async #failsWhenEnded(): Promise<never> {
    const how = await this.#process.ended;
    throw new Error(`${this.module} ended (${how}).\n${readFileSync(this.#logFile, 'utf8')}`);
  }
}
