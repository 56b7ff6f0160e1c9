import { createTemplates } from './create-templates.js';
import { SharedGateways } from './shared-gateways.js';

const gateways = new SharedGateways();

/** Runs once before the first test file. */
export async function prepareRun(): Promise<void> {
  await createTemplates();
  await gateways.listen();
}

/** Runs once after the last test file. */
export async function endRun(): Promise<void> {
  await gateways.close();
}
