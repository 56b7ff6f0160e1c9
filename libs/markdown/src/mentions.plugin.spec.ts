import { describe, expect, it } from '@jest/globals';
import type { MarkdownContext } from './markdown-context.js';
import { mentions } from './mentions.plugin.js';
import { renderMarkdown } from './render-markdown.js';

const context: MarkdownContext = {
  findUser: (fullName, id) =>
    fullName === 'Ada Ö. Lovelace' && (id ?? 12) === 12 ? 12 : undefined,
  findGroup: (name) => (name === 'on call' ? 3 : undefined),
  findChannel: (name) => (name === 'new (ideas)' ? 9 : undefined),
};

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
    [
      '@**all**',
      '<span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span>',
    ],
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
      '<a class="message-link" data-stream-id="9" ' +
        'href="/#narrow/channel/9-new-.28ideas.29/topic/lunch/near/7">' +
        '#new (ideas) &gt; lunch @ 💬</a>',
    ],
    [
      '#**new (ideas)>me@home@7**',
      '<a class="message-link" data-stream-id="9" ' +
        'href="/#narrow/channel/9-new-.28ideas.29/topic/me.40home/near/7">' +
        '#new (ideas) &gt; me@home @ 💬</a>',
    ],
    [
      '#**new (ideas)>@7**',
      '<a class="message-link" data-stream-id="9" ' +
        'href="/#narrow/channel/9-new-.28ideas.29/topic//near/7">' +
        '#new (ideas) &gt;  @ 💬</a>',
    ],
  ])('renders %s', (source, html) => {
    expect(renderMarkdown(`hi ${source}!`, context)).toBe(`<p>hi ${html}!</p>`);
  });

  it.each([
    '@**Nobody**',
    '@**Ada Ö. Lovelace|13**',
    '@*nobody*',
    '#**nowhere**',
    '#**nowhere>topic**',
  ])('leaves %s as it is', (source) => {
    expect(renderMarkdown(source, context)).toBe(`<p>${source.replace('>', '&gt;')}</p>`);
  });

  it.each(['@**Ada Ö. Lovelace**', '@**all**', '@*on call*', '#**new (ideas)**'])(
    'leaves %s as it is when nothing can be looked up',
    (source) => {
      expect(renderMarkdown(source)).toBe(`<p>${source}</p>`);
    },
  );

  it.each(['`@**all**`', '```\n@**all**\n```', '\\@**all**', 'me@**all**', '@****', '@ **all**'])(
    'mentions nobody in %j',
    (source) => {
      expect(renderMarkdown(source, context)).not.toContain('mention');
    },
  );

  it('puts no channel’s link into a link', () => {
    expect(renderMarkdown('[see #**new (ideas)**](https://example.com)', context)).toBe(
      '<p><a href="https://example.com">see #**new (ideas)**</a></p>',
    );
  });

  it('escapes what a name is made of', () => {
    const html = renderMarkdown('@**<img src=x>**', { ...context, findUser: () => 1 });
    expect(html).toBe(
      '<p><span class="user-mention" data-user-id="1">@&lt;img src=x&gt;</span></p>',
    );
  });

  it('takes a topic with half a character in it', () => {
    expect(renderMarkdown('#**new (ideas)>\uD83D**', context)).toContain('/topic/.EF.BF.BD');
  });
});
