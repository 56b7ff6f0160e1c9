import process from 'node:process';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * The test environment of Jest without a VM context: test files run in the global scope of the worker. After each file
 * it puts back what the file, or Jest for the file, has changed in the process.
 */
export default class WorkerEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #console = globalThis.console;
  #process = { exit: process.exit, getBuiltinModule: process.getBuiltinModule };
  #exitCode = process.exitCode;
  #variables = { ...process.env };
  #listeners = listenersOf(process);

  /** @param {{ projectConfig: import('@jest/types').Config.ProjectConfig }} config */
  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Jest has replaced it by one for its own module registry.
    process.getBuiltinModule = this.#process.getBuiltinModule;
  }

  async teardown() {
    this.fakeTimersModern?.dispose();
    this.fakeTimersModern = null;
    globalThis.console = this.#console;
    Object.assign(process, this.#process);
    process.exitCode = this.#exitCode;
    for (const name of Object.keys(process.env)) {
      if (!Object.hasOwn(this.#variables, name)) delete process.env[name];
    }
    Object.assign(process.env, this.#variables);
    for (const [event, listener] of listenersOf(process)) {
      const isKnown = this.#listeners.some(([name, one]) => name === event && one === listener);
      if (!isKnown) process.removeListener(event, listener);
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest asks for it before it collects coverage, and runs nothing in it. */
  getVmContext() {
    return null;
  }
}

/** @param {NodeJS.Process} emitter */
const listenersOf = (emitter) =>
  emitter.eventNames().flatMap((event) => emitter.rawListeners(event).map((one) => [event, one]));
