import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Code playgrounds. */
export const playgroundErrors = {
  invalidPygmentsLanguage: badRequest('Invalid characters in pygments language'),
  blankPlaygroundField: badRequest('This field cannot be blank.'),
  invalidUrlTemplate: badRequest('Invalid URL template.'),
  codeVariableMissing: badRequest('Missing the required variable "code" in the URL template'),
  otherVariablesInTemplate: badRequest(
    '"code" should be the only variable present in the URL template',
  ),
  playgroundExists: badRequest(
    'Realm playground with this Realm, Pygments language and Name already exists.',
  ),
  invalidPlayground: badRequest('Invalid playground'),
} as const satisfies Record<string, CataloguedError>;
