import { badRequest, defineErrors } from '#platform/contracts';

/** Code playgrounds. */
export const playgroundErrors = defineErrors({
  invalidPygmentsLanguage: badRequest(
    'Invalid characters in pygments language',
    'The name of the language contains a character that no lexer name contains.',
  ),
  blankPlaygroundField: badRequest(
    'This field cannot be blank.',
    'The name, the language or the URL template is blank; `errors` names it.',
  ),
  invalidUrlTemplate: badRequest(
    'Invalid URL template.',
    'The URL template is malformed or not a web address.',
  ),
  codeVariableMissing: badRequest(
    'Missing the required variable "code" in the URL template',
    'The URL template has no variable `code`.',
  ),
  otherVariablesInTemplate: badRequest(
    '"code" should be the only variable present in the URL template',
    'The URL template has other variables than `code`.',
  ),
  playgroundExists: badRequest(
    'Realm playground with this Realm, Pygments language and Name already exists.',
    'The organisation already has a playground with this name for the language.',
  ),
  invalidPlayground: badRequest(
    'Invalid playground',
    'The organisation has no playground with this id.',
  ),
});
