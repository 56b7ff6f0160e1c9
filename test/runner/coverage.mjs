import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { compile, isSource } from './compile.mjs';

let session;

/**
 * Collects the coverage of a test file for the report of Jest. V8 counts from the first file to the last, because it
 * counts the functions of a loaded module no more once counting has stopped.
 */
export async function collectCoverage(runtime, globalConfig, config) {
  if (!globalConfig.collectCoverage) return;
  session ??= await startCounting();
  let scripts = [];
  runtime.stopCollectingV8Coverage = async () => {
    // Sets the counts back to zero.
    ({ result: scripts } = await session.post('Profiler.takePreciseCoverage'));
  };
  const { collectCoverage: isOn, collectCoverageFrom, rootDir: globalRootDir } = globalConfig;
  const options = { collectCoverage: isOn, collectCoverageFrom, globalRootDir };
  runtime.getAllV8CoverageInfoCopy = () =>
    scripts
      .filter(({ url }) => url.startsWith('file:'))
      .map((script) => ({ ...script, url: fileURLToPath(script.url) }))
      .filter(({ url }) => isSource(url))
      .filter(({ url }) => runtime.constructor.shouldInstrument(url, options, config))
      .map((result) => ({ result, codeTransformResult: compile(result.url) }));
}

async function startCounting() {
  const started = new Session();
  started.connect();
  await started.post('Profiler.enable');
  await started.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return started;
}
