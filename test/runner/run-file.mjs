import asyncHooks from 'node:async_hooks';
import * as nodeModule from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fastCheck from 'fast-check';
import circus from 'jest-circus/runner';
import { compile, isSource } from './compile.mjs';
import { collectCoverage } from './coverage.mjs';
import { setGlobals } from './globals.mjs';
import * as hooks from './hooks.mjs';

const require = nodeModule.createRequire(import.meta.url);

// Node 20 has only hooks in a thread of their own.
if (nodeModule.registerHooks === undefined) nodeModule.register('./hooks.mjs', import.meta.url);
else nodeModule.registerHooks(hooks);

// By default a list with a `maxLength` of a hundred gets about ten members.
fastCheck.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });

/**
 * The test runner of Jest for one file: that of Jest, with modules loaded by Node. Jest would load every module again
 * for each file, which takes seconds; Node keeps them as long as the worker lives.
 */
export default async function runFile(globalConfig, config, environment, runtime, testPath, send) {
  loadFrameworkAnew(runtime);
  importNatively(runtime);
  mapSources(runtime);
  await collectCoverage(runtime, globalConfig, config);
  return circus.default(globalConfig, config, environment, runtime, testPath, send);
}

const storages = [];

/** Each file gets a new test framework, because it keeps its state in its modules and in global symbols. */
function loadFrameworkAnew(runtime) {
  runtime.requireInternalModule = (file) => {
    delete require.cache[file];
    for (const name of ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL', 'RETRY_TIMES']) {
      delete globalThis[Symbol.for(name)];
    }
    // Each storage in use makes every promise slower: the one of the last framework is disabled.
    for (const storage of storages.splice(0)) storage.disable();
    return withStorages(() => require(file));
  };
}

/** Keeps the storages that the work makes. */
function withStorages(work) {
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
    constructor(...options) {
      super(...options);
      storages.push(this);
    }
  };
  try {
    return work();
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}

function importNatively(runtime) {
  runtime.unstable_shouldLoadAsEsm = () => true;
  runtime.unstable_importModule = async (file) => {
    setGlobals(runtime.requireModuleOrMock(file, '@jest/globals'));
    await import(pathToFileURL(file).href);
  };
}

/** Stack traces name the lines of the sources. */
function mapSources(runtime) {
  runtime.getSourceMaps().get = (script) => {
    const file = script.startsWith('file:') ? fileURLToPath(script) : script;
    return isSource(file) ? compile(file).sourceMapPath : undefined;
  };
}
