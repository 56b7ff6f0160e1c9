import { z } from 'zod';
import type { Linkifier } from './linkifier.repository.js';

export const linkifierResponse = z.object({
  id: z.int(),
  pattern: z.string().describe('A regular expression in the syntax of RE2.'),
  url_template: z.string().describe('RFC 6570, with the named groups of the pattern.'),
});

export const toLinkifierResponse = ({
  id,
  pattern,
  urlTemplate,
}: Linkifier): z.infer<typeof linkifierResponse> => ({ id, pattern, url_template: urlTemplate });
