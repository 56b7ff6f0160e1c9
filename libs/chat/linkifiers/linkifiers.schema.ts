import { z } from 'zod';
import { administrators } from '#directory/roles';
import { limitErrors } from '#platform/contracts';
import { endpoint, identifier, json, limitedText, text } from '#platform/http';
import { linkifierErrors } from './linkifiers.errors.js';
import { linkifierResponse } from './linkifiers.response.js';

const LONGEST_PATTERN = 500;
const LONGEST_TEMPLATE = 1000;
/** More than an organisation has linkifiers. */
const MAX_ORDERED = 1000;
const MAX_ALTERNATIVES = 20;

const nothing = z.object({});
const common = { tag: 'linkifiers' } as const;

const parameters = {
  pattern: text(limitedText(LONGEST_PATTERN).min(1), {
    description:
      'A regular expression in the syntax of RE2 with named groups, for example `#(?P<id>[0-9]+)`; at most 500 characters. A match is a link if it begins a word and no letter or digit follows.',
  }),
  url_template: text(limitedText(LONGEST_TEMPLATE).min(1), {
    description:
      'The web address as a URL template (RFC 6570) with exactly the named groups as variables, for example `https://example.com/{id}`; at most 1000 characters.',
  }),
  example_input: text(limitedText(LONGEST_TEMPLATE).optional(), {
    description: 'A text that the pattern matches; empty for none.',
  }),
  reverse_template: text(limitedText(LONGEST_TEMPLATE).optional(), {
    description:
      'Makes the text of a match from the variables of an address that people paste, for example `#{id}`; empty for none. With the groups of the example it must make the example.',
  }),
  alternative_url_templates: json(
    z.array(limitedText(LONGEST_TEMPLATE).min(1)).max(MAX_ALTERNATIVES).optional(),
    {
      description:
        'At most 20 further addresses that clients turn into the text of a match; they make no links.',
    },
  ),
};
const linkifierId = identifier('The id of the linkifier.');
const contentErrors = [
  linkifierErrors.badPattern,
  linkifierErrors.invalidTemplate,
  linkifierErrors.groupNotInPattern,
  linkifierErrors.groupNotInTemplate,
  linkifierErrors.noExampleInput,
  linkifierErrors.exampleDoesNotMatch,
  linkifierErrors.reverseDoesNotMatch,
  linkifierErrors.linkifierExists,
];

export const listLinkifiers = endpoint({
  ...common,
  method: 'GET',
  path: '/realm/linkifiers',
  access: 'user',
  summary: 'List the linkifiers',
  description: 'Returns the patterns whose matches in messages become links, in their order.',
  parameters: {},
  takesAnswerSlot: true,
  returns: z.object({ linkifiers: z.array(linkifierResponse) }),
  errors: [],
});

export const reorderLinkifiers = endpoint({
  ...common,
  method: 'PATCH',
  path: '/realm/linkifiers',
  access: administrators,
  summary: 'Order the linkifiers',
  description: 'Puts the linkifiers into an order: of several that match, the first one decides.',
  parameters: {
    ordered_linkifier_ids: json(z.array(z.int()).max(MAX_ORDERED), {
      description: 'The ids of all linkifiers of the organisation in their new order.',
    }),
  },
  returns: nothing,
  errors: [linkifierErrors.invalidLinkifierOrder],
});

export const createLinkifier = endpoint({
  ...common,
  method: 'POST',
  path: '/realm/filters',
  access: administrators,
  summary: 'Add a linkifier',
  description:
    'Adds a pattern whose matches become links in the messages that are sent from then on.',
  parameters,
  returns: z.object({ id: z.int() }),
  errors: [...contentErrors, limitErrors.organizationLimitReached],
});

export const changeLinkifier = endpoint({
  ...common,
  method: 'PATCH',
  path: '/realm/filters/{filter_id}',
  access: administrators,
  summary: 'Change a linkifier',
  description:
    'Replaces the pattern and the address of a linkifier. Other parameters stay if they are missing.',
  parameters: { filter_id: linkifierId, ...parameters },
  returns: nothing,
  errors: [linkifierErrors.linkifierNotFound, ...contentErrors],
});

export const deleteLinkifier = endpoint({
  ...common,
  method: 'DELETE',
  path: '/realm/filters/{filter_id}',
  access: administrators,
  summary: 'Remove a linkifier',
  description: 'Deletes a linkifier of the organisation; links in earlier messages stay.',
  parameters: { filter_id: linkifierId },
  returns: nothing,
  errors: [linkifierErrors.linkifierNotFound],
});
