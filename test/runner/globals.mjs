/**
 * What test files import from `@jest/globals`. Modules live as long as the worker, and Jest makes new functions for each
 * test file: importers see the new ones, because exports are live bindings.
 */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

/** @param {typeof import('@jest/globals')} globals of the test file that runs next */
export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
