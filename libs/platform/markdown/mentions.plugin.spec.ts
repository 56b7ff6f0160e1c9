import { describe, expect, it } from '@jest/globals';
import type { MarkdownContext } from './environment.js';
import { mentions, mentionsOf } from './mentions.plugin.js';
import { renderMarkdown } from './render-markdown.js';

const context: MarkdownContext = {
  findUser: (fullName, id) =>
    ['Ada Ö. Lovelace', 'ada ö. lovelace', id === 12 ? '' : undefined].includes(fullName) &&
    (id ?? 12) === 12
      ? { id: 12, name: 'Ada Ö. Lovelace', isActive: true }
      : fullName === 'Gone'
        ? { id: 13, name: 'Gone', isActive: false }
        : undefined,
  findGroup: (name) =>
    name === 'on call' || name === 'old'
      ? { id: 3, name, isActive: name === 'on call' }
      : undefined,
  findChannel: (name) => (name === 'new (ideas)' ? 9 : name === 'general chat' ? 8 : undefined),
  findTopic: (_channel, topic) => (topic === 'plan' ? 7 : undefined),
};

const htmlOf = (source: string, given?: MarkdownContext): string =>
  renderMarkdown(source, given).html;

describe(mentions.name, () => {
  it.each([
    [
      '@**Ada Ö. Lovelace**',
      '<span class="user-mention" data-user-id="12">@Ada Ö. Lovelace</span>',
    ],
    [
      '@**Ada Ö. Lovelace|12**',
      '<span class="user-mention" data-user-id="12">@Ada Ö. Lovelace</span>',
    ],
    [
      '@_**Ada Ö. Lovelace|12**',
      '<span class="user-mention silent" data-user-id="12">Ada Ö. Lovelace</span>',
    ],
    ['@**|12**', '<span class="user-mention" data-user-id="12">@Ada Ö. Lovelace</span>'],
    ['@_**|12**', '<span class="user-mention silent" data-user-id="12">Ada Ö. Lovelace</span>'],
    [
      '@**ada ö. lovelace**',
      '<span class="user-mention" data-user-id="12">@Ada Ö. Lovelace</span>',
    ],
    ['@**Gone**', '<span class="user-mention silent" data-user-id="13">Gone</span>'],
    ['@_**Gone**', '<span class="user-mention silent" data-user-id="13">Gone</span>'],
    ['@*old*', '<span class="user-group-mention silent" data-user-group-id="3">old</span>'],
    [
      '#**new (ideas)>plan**',
      '<a class="stream-topic" data-stream-id="9" ' +
        'href="/#narrow/channel/9-new-.28ideas.29/topic/plan/with/7">#new (ideas) &gt; plan</a>',
    ],
    [
      '@**all**',
      '<span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span>',
    ],
    ['@**topic**', '<span class="topic-mention">@topic</span>'],
    ['@_**topic**', '<span class="topic-mention silent">topic</span>'],
    ['@*on call*', '<span class="user-group-mention" data-user-group-id="3">@on call</span>'],
    [
      '@_*on call*',
      '<span class="user-group-mention silent" data-user-group-id="3">on call</span>',
    ],
    [
      '#**new (ideas)**',
      '<a class="stream" data-stream-id="9" href="/#narrow/channel/9-new-.28ideas.29">#new (ideas)</a>',
    ],
    [
      '#**new (ideas)>v1.0 <b>**',
      '<a class="stream-topic" data-stream-id="9" ' +
        'href="/#narrow/channel/9-new-.28ideas.29/topic/v1.2E0.20.3Cb.3E">' +
        '#new (ideas) &gt; v1.0 &lt;b&gt;</a>',
    ],
    [
      '#**new (ideas)>lunch@7**',
      '<a class="message-link" ' +
        'href="/#narrow/channel/9-new-.28ideas.29/topic/lunch/near/7">' +
        '#new (ideas) &gt; lunch @ 💬</a>',
    ],
    [
      '#**new (ideas)>me@home@7**',
      '<a class="message-link" ' +
        'href="/#narrow/channel/9-new-.28ideas.29/topic/me.40home/near/7">' +
        '#new (ideas) &gt; me@home @ 💬</a>',
    ],
    [
      '#**new (ideas)>@7**',
      '<a class="message-link" ' +
        'href="/#narrow/channel/9-new-.28ideas.29/topic//near/7">' +
        '#new (ideas) &gt; <em>general chat</em> @ 💬</a>',
    ],
    [
      '#**new (ideas)>**',
      '<a class="stream-topic" data-stream-id="9" ' +
        'href="/#narrow/channel/9-new-.28ideas.29/topic/">' +
        '#new (ideas) &gt; <em>general chat</em></a>',
    ],
    [
      '#**general chat>**',
      '<a class="stream-topic" data-stream-id="8" href="/#narrow/channel/8-general-chat/topic/">' +
        '#general chat &gt; <em>general chat</em></a>',
    ],
  ])('renders %s', (source, html) => {
    expect(htmlOf(`hi ${source}!`, context)).toBe(`<p>hi ${html}!</p>`);
  });

  it.each([
    '> %',
    '> > (%)',
    '```quote\n%\n```',
    '```quote\n- a\n- %\n```',
    '> [%](https://a.test)',
  ])('makes mentions silent in the quote %j', (quote) => {
    for (const [source, html] of [
      ['@**|12**', '<span class="user-mention silent" data-user-id="12">Ada Ö. Lovelace</span>'],
      [
        '@*on call*',
        '<span class="user-group-mention silent" data-user-group-id="3">on call</span>',
      ],
      ['@**topic**', '<span class="topic-mention silent">topic</span>'],
      [
        '@**all**',
        '<span class="user-mention channel-wildcard-mention silent" data-user-id="*">all</span>',
      ],
      ['@_**|12**', '<span class="user-mention silent" data-user-id="12">Ada Ö. Lovelace</span>'],
    ] as const) {
      expect(htmlOf(quote.replace('%', source), context)).toContain(html);
    }
  });

  it.each([
    '@**Nobody**',
    '@**Ada Ö. Lovelace|13**',
    '@*nobody*',
    '#**nowhere**',
    '#**nowhere>topic**',
  ])('leaves the unknown name in %s as plain text', (source) => {
    expect(htmlOf(source, context)).toBe(`<p>${source.replace('>', '&gt;')}</p>`);
  });

  it.each(['@**Ada Ö. Lovelace**', '@**all**', '@**topic**', '@*on call*', '#**new (ideas)**'])(
    'leaves %s as plain text without a context',
    (source) => {
      expect(htmlOf(source)).toBe(`<p>${source}</p>`);
    },
  );

  it.each([
    '`@**all**`',
    '```\n@**all**\n```',
    '\\@**all**',
    'me@**all**',
    '@****',
    '@**|**',
    '@ **all**',
  ])('renders no mention in %j', (source) => {
    expect(htmlOf(source, context)).not.toContain('mention');
  });

  it('renders no channel link within a link', () => {
    expect(htmlOf('[see #**new (ideas)**](https://example.com)', context)).toBe(
      '<p><a href="https://example.com">see #**new (ideas)**</a></p>',
    );
  });

  it('escapes HTML in a name', () => {
    const html = htmlOf('@**<img src=x>**', {
      ...context,
      findUser: (name) => ({ id: 1, name, isActive: true }),
    });
    expect(html).toBe(
      '<p><span class="user-mention" data-user-id="1">@&lt;img src=x&gt;</span></p>',
    );
  });

  it('accepts a topic with an unpaired surrogate', () => {
    expect(htmlOf('#**new (ideas)>\uD83D**', context)).toContain('/topic/.EF.BF.BD');
  });
});

describe(mentionsOf.name, () => {
  const ids: Readonly<Record<string, number>> = { Rita: 7, Otto: 8 };
  const crew: MarkdownContext = {
    findUser: (name, given) => {
      const id = given ?? ids[name];
      return id === undefined ? undefined : { id, name, isActive: name !== 'Gone' };
    },
    findGroup: (name) => ({ id: 20, name, isActive: true }),
    findChannel: () => 30,
  };
  const none = { userIds: [], groupIds: [], isEveryone: false, isTopic: false };

  it.each([
    ['no mention', 'Hello', {}],
    ['an account', '@**Rita**', { userIds: [7] }],
    ['an account that is mentioned twice', '@**Rita** @**Rita**', { userIds: [7] }],
    ['two accounts', '@**Rita**, @**Otto**', { userIds: [7, 8] }],
    ['an account by number', '@**Nora|10**', { userIds: [10] }],
    ['a group', '@*crew*', { groupIds: [20] }],
    ['everyone', '@**all**', { isEveryone: true }],
    ['the participants of the topic', '@**topic**', { isTopic: true }],
    ['no unknown name', '@**Nora**', {}],
    ['no deactivated account', '@**Gone|11**', {}],
    ['no channel', '#**ideas**', {}],
    ['no silent mention', '@_**Rita** @_*crew* @_**all** @_**topic**', {}],
    ['nothing in code', '`@**Rita**`', {}],
    ['nothing in a block of code', '```\n@**Rita**\n```', {}],
    ['nothing in a quote', '> @**Rita**', {}],
    ['nothing in a fence that quotes', '```quote\n@**Rita**\n```', {}],
    ['an account after a quote', '> a\n> > @**Rita**\n\n@**Otto**', { userIds: [8] }],
    ['an account in the title of a spoiler', '```spoiler @**Rita**\n```', { userIds: [7] }],
    ['an account in a table', '| a |\n|---|\n| @**Rita** |', { userIds: [7] }],
    ['an account in a link', '[see @**Rita**](https://a.test)', { userIds: [7] }],
    ['nothing in the description of an image', '![@**Rita**](https://a.test)', {}],
    ['nothing after a backslash', String.raw`\@**Rita**`, {}],
    ['nothing in HTML', '<span class="user-mention" data-user-id="7">x</span>', {}],
    ['an account among other marks', '*Look @**Rita** here*', { userIds: [7] }],
    ['an account in a list', '- one\n- @**Rita**', { userIds: [7] }],
    ['an account once in a long message', '@**Rita** '.repeat(1000), { userIds: [7] }],
  ])('finds %s', (_what, source, expected) => {
    expect(renderMarkdown(source, crew).mentions).toEqual({ ...none, ...expected });
  });

  it('finds nothing in a source that is shown as plain text', () => {
    const source = `@**Rita**\n\n${`${'>'.repeat(19)} a\n\n`.repeat(450)}`;
    expect(renderMarkdown(source, crew).mentions).toEqual(none);
  });
});
