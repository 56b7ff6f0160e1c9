import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

type Bundle = (
  require: NodeJS.Require,
  requireExternal: NodeJS.Require,
  bundleUrl: string,
  filename: string,
  dirname: string,
) => Promise<void>;

/**
 * Runs the bundle of a program; called by the main module that the build writes. `hash` is that of the bundle. The
 * first start with a version and flags of V8 stores the compiled code beside the bundle, and later starts take it over.
 */
export async function runBundle(url: URL, hash: string): Promise<void> {
  const file = fileURLToPath(url);
  // V8 itself compares only the length of the text.
  const compiledFile = file.replace(/js$/, `${hash}-${cachedDataVersionTag()}.compiled`);
  const cachedData = readIfPresent(compiledFile);
  const script = new Script(readFileSync(file, 'utf8'), { filename: file, cachedData });
  if (process.sourceMapsEnabled) mapStackTraces(file);
  const require = createRequire(file);
  // The build wraps the modules in this function.
  const bundle = script.runInThisContext() as Bundle;
  await bundle(require, require, url.href, file, path.dirname(file));
  const isReusable = cachedData !== undefined && script.cachedDataRejected !== true;
  if (!isReusable) keep(compiledFile, script.createCachedData());
}

function readIfPresent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Writes the file at once, because other processes read it. */
function keep(file: string, content: Buffer): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, content);
    renameSync(draft, file);
  } catch {
    // The program may run from a folder that it must not change.
    rmSync(draft, { force: true });
  }
}

/** Lets stack traces name the sources. Node itself maps only modules. The map is read for the first stack trace. */
function mapStackTraces(bundle: string): void {
  let map: SourceMap | undefined;
  const placed = (frame: NodeJS.CallSite): string => {
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    if (frame.getFileName() !== bundle || line === null || column === null) return String(frame);
    map ??= new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')));
    const origin = map.findOrigin(line, column);
    if (!('fileName' in origin)) return String(frame);
    const source = path.resolve(path.dirname(bundle), origin.fileName);
    // The map has no lines of packages.
    const position = source.includes('node_modules')
      ? []
      : [origin.lineNumber, origin.columnNumber];
    const place = [source, ...position].join(':');
    return String(frame).replace(`${bundle}:${line}:${column}`, () => place);
  };
  Error.prepareStackTrace = (error, frames) =>
    [String(error), ...frames.map(placed)].join('\n    at ');
}
