import { z } from 'zod';
import { administrators } from '#directory/roles';
import { endpoint, identifier, limitedName, limitedText, text } from '#platform/http';
import { limitErrors } from '#platform/contracts';
import { playgroundErrors } from './playgrounds.errors.js';

const LONGEST_NAME = 100;
const LONGEST_LANGUAGE = 40;
const LONGEST_TEMPLATE = 2000;

const nothing = z.object({});
const common = { tag: 'playgrounds', access: administrators } as const;
// `checkPlayground` reports a blank text together with all other errors.
const trimmed = (longest: number) => z.string().trim().pipe(limitedText(longest));

export const createPlayground = endpoint({
  ...common,
  method: 'POST',
  path: '/realm/playgrounds',
  summary: 'Add a code playground',
  description:
    'Adds a website that runs code of a language. If parameters are invalid, `errors` holds the messages by the name of the parameter.',
  parameters: {
    name: text(z.string().trim().pipe(limitedName(LONGEST_NAME)), {
      description: 'The name of the playground, unique for the language, at most 100 characters.',
    }),
    pygments_language: text(trimmed(LONGEST_LANGUAGE), {
      description: 'The name of the Pygments lexer of the language, at most 40 characters.',
    }),
    url_template: text(trimmed(LONGEST_TEMPLATE), {
      description:
        'A web address as a URL template (RFC 6570) with the single variable `code`, at most 2000 characters.',
    }),
  },
  returns: z.object({ id: z.int() }),
  errors: [
    playgroundErrors.invalidPygmentsLanguage,
    playgroundErrors.blankPlaygroundField,
    playgroundErrors.invalidUrlTemplate,
    playgroundErrors.codeVariableMissing,
    playgroundErrors.otherVariablesInTemplate,
    playgroundErrors.playgroundExists,
    limitErrors.organizationLimitReached,
  ],
});

export const deletePlayground = endpoint({
  ...common,
  method: 'DELETE',
  path: '/realm/playgrounds/{playground_id}',
  summary: 'Remove a code playground',
  description: 'Deletes a playground of the organisation.',
  parameters: { playground_id: identifier('The id of the playground.') },
  returns: nothing,
  errors: [playgroundErrors.invalidPlayground],
});
