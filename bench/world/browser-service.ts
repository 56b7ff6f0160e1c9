/**
 * The name of the sandbox's service of browsers: below that of Mozilla, so that the worker sends as it does to a service that it
 * knows. To any other host it sends five pushes at a time.
 */
export const BROWSER_SERVICE = 'bench.push.services.mozilla.com';
