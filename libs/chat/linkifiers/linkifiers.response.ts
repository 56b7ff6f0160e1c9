import { z } from 'zod';
import type { Linkifier } from './linkifier.repository.js';

export const linkifierResponse = z.object({
  id: z.int(),
  pattern: z.string().describe('A regular expression in the syntax of RE2.'),
  url_template: z.string().describe('RFC 6570, with the named groups of the pattern.'),
  example_input: z.string().nullable().describe('A text that the pattern matches.'),
  reverse_template: z
    .string()
    .nullable()
    .describe('Makes the text of a match from the variables of a pasted address.'),
  alternative_url_templates: z
    .array(z.string())
    .describe('Further addresses that clients turn into the text of a match.'),
});

export const toLinkifierResponse = (linkifier: Linkifier): z.infer<typeof linkifierResponse> => ({
  id: linkifier.id,
  pattern: linkifier.pattern,
  url_template: linkifier.urlTemplate,
  example_input: linkifier.exampleInput,
  reverse_template: linkifier.reverseTemplate,
  alternative_url_templates: [...linkifier.alternativeUrlTemplates],
});
