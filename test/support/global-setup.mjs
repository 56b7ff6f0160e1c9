/** Run by Jest once before the test files of all tiers but the unit tests; it uses what `npm test` has built. */
export { prepareRun as default } from '../../dist/test/support/test-run.js';
