/** Run by Jest once after the test files. */
export { endRun as default } from '../../dist/test/support/test-run.js';
