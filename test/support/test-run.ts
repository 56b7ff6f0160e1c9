import { createTemplates } from './create-templates.js';

/** What Jest does once before the first test file. */
export async function prepareRun(): Promise<void> {
  await createTemplates();
}
