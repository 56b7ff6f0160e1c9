import { ApiError, type ErrorName } from '#contracts';
import type { NewPlayground } from './playground.repository.js';
import { urlTemplateFault } from './url-template.rules.js';

/** Where a playground is wrong that is wrong as a whole. */
const WHOLE = '__all__';
/** What the names of Pygments lexers are made of. */
const LANGUAGE = /^[ a-zA-Z0-9_+,\-./#]*$/;

type Faults = Readonly<Record<string, ErrorName>>;

/** Throws ApiError for what can be no playground; it tells of every member that is wrong. */
export function checkPlayground({ name, pygmentsLanguage, urlTemplate }: NewPlayground): void {
  if (!LANGUAGE.test(pygmentsLanguage)) throw new ApiError('invalidPygmentsLanguage');
  const templateFault = urlTemplate === '' ? 'blankPlaygroundField' : urlTemplateFault(urlTemplate);
  const faults: Faults = {
    ...(name === '' && { name: 'blankPlaygroundField' }),
    ...(pygmentsLanguage === '' && { pygments_language: 'blankPlaygroundField' }),
    ...(templateFault !== null && { url_template: templateFault }),
  };
  if (Object.keys(faults).length > 0) throw validationFailure(faults);
}

/** The error for a playground of a language that has one of that name. */
export const playgroundExists = (): ApiError => validationFailure({ [WHOLE]: 'playgroundExists' });

/** An error that tells in `errors` what is wrong with which member; its own text is that of the first. */
function validationFailure(faults: Faults): ApiError {
  const [first = 'invalidUrlTemplate'] = Object.values(faults);
  const errors = Object.entries(faults).map(([member, fault]) => [
    member,
    [new ApiError(fault).message],
  ]);
  return new ApiError(first, {}, { errors: Object.fromEntries(errors) });
}
