import { z } from 'zod';
import { endpoint, identifier, limitedText, text } from '#edge';

const LONGEST_NAME = 100;
const LONGEST_LANGUAGE = 40;
const LONGEST_TEMPLATE = 2000;

const nothing = z.object({});
const common = { tag: 'playgrounds', access: 'administrator' } as const;
// What is blank is told of by the playground's rules, with everything else that is wrong.
const trimmed = (longest: number) => z.string().trim().pipe(limitedText(longest));

export const createPlayground = endpoint({
  ...common,
  method: 'POST',
  path: '/realm/playgrounds',
  summary: 'Add a code playground',
  description:
    'Adds a place on the web where code of a language can be tried. An error that is about one of the parameters tells more in `errors`: the texts by the names of the parameters.',
  parameters: {
    name: text(trimmed(LONGEST_NAME), {
      description: 'What tells it from others for the language, at most 100 characters.',
    }),
    pygments_language: text(trimmed(LONGEST_LANGUAGE), {
      description: 'The name of the language’s Pygments lexer, at most 40 characters.',
    }),
    url_template: text(trimmed(LONGEST_TEMPLATE), {
      description:
        'A web address as a URL template of RFC 6570 with the one variable `code`, at most 2000 characters.',
    }),
  },
  returns: z.object({ id: z.int() }),
  errors: [
    'invalidPygmentsLanguage',
    'blankPlaygroundField',
    'invalidUrlTemplate',
    'codeVariableMissing',
    'otherVariablesInTemplate',
    'playgroundExists',
    'organizationLimitReached',
  ],
});

export const deletePlayground = endpoint({
  ...common,
  method: 'DELETE',
  path: '/realm/playgrounds/{playground_id}',
  summary: 'Remove a code playground',
  description: 'Deletes a playground of the organisation.',
  parameters: { playground_id: identifier('The playground.') },
  returns: nothing,
  errors: ['invalidPlayground'],
});
