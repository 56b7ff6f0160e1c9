/**
 * Runs in a container of the image, before a program: writes a line with the address of each module that the program loads. Names
 * of modules after it are loaded as the programs load packages.
 *
 *   node --import ./recorder.mjs <main module>
 *   node ./recorder.mjs <package>…
 */
import { createRequire, registerHooks } from 'node:module';
import { writeSync } from 'node:fs';

const tell = (url) => writeSync(2, `LOADED ${url}\n`);

registerHooks({
  load: (url, context, next) => {
    tell(url);
    return next(url, context);
  },
});
const { dlopen } = process;
process.dlopen = (module, file, ...rest) => {
  tell(`file://${file}`);
  return dlopen.call(process, module, file, ...rest);
};

if (process.argv[1] === import.meta.filename) {
  const require = createRequire('/app/dist/bundles/');
  for (const name of process.argv.slice(2)) require(name);
}
