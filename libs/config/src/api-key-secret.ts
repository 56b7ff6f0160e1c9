import { readSecretFile } from './secret-file.js';

/** The secret under which API keys are stored: API_KEY_SECRET, or else the contents of API_KEY_SECRET_FILE. */
export const readApiKeySecret = (given: Buffer | undefined, file: string): Buffer =>
  given ?? readSecretFile('API_KEY_SECRET', file);
