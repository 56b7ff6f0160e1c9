import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { childEnvironment } from '#platform/config';
import type { Serializable } from 'node:child_process';
import { OwnProcess } from '../../deploy/local/own-process.js';
import type { ParentReply } from './answer-parent.js';
import type { ProcessPlace } from './process-place.js';

const STOP_GRACE_MS = 2000;

/** A child process of the bench, with its own event loop. */
export class BenchProcess<Question extends Serializable> {
  readonly #process: OwnProcess;
  readonly #logFile: string;

  /** `module` is the path of a compiled module below dist/bench that calls answerParent. */
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

  /** Sends a question and resolves with the answer; rejects when the process fails or ends. One question at a time. */
  async ask<Result>(question: Question): Promise<Result> {
    const { child } = this.#process;
    const answered = once(child, 'message');
    child.send(question);
    // answerParent sends only this type.
    const [reply] = (await Promise.race([answered, this.#failsWhenEnded()])) as [ParentReply];
    if ('failure' in reply) throw new Error(`${this.module} failed.\n${reply.failure}`);
    // The caller knows the type of the answer to its question.
    return reply.result as Result;
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  async kill(): Promise<void> {
    this.#process.kill();
    await this.#process.ended;
  }

  async #failsWhenEnded(): Promise<never> {
    const how = await this.#process.ended;
    throw new Error(`${this.module} ended (${how}).\n${readFileSync(this.#logFile, 'utf8')}`);
  }
}
