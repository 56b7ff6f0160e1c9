import { describe, expect, it } from '@jest/globals';
import { renderMarkdown } from '#platform/markdown';
import { noticesOf } from './channel-change-notices.rules.js';

const channel = {
  name: 'lunch',
  description: '',
  isPrivate: false,
  isWebPublic: false,
  isHistoryPublic: null,
  archivedAt: null,
};

describe(noticesOf.name, () => {
  it('describes each change', () => {
    const after = { ...channel, name: 'food', description: 'Soup', isPrivate: true };
    expect(noticesOf({ ...channel, archivedAt: new Date(0) }, after)).toEqual([
      'unarchived this channel.',
      'renamed this channel from **lunch** to **food**.',
      'changed the access permissions for this channel from **Public** to **Private, protected history**.',
      'changed the description for this channel:\n``` quote\nSoup\n```',
    ]);
    expect(noticesOf({ ...channel, description: 'Soup' }, channel)).toEqual([
      'changed the description for this channel: No description.',
    ]);
  });

  it('neither mentions nor links for a name or a description', () => {
    const text = 'x** @**all** [sign in](https://evil.example)';
    const notices = noticesOf(channel, { ...channel, name: text, description: `${text} \`\`\`` });
    const context = {
      findUser: (name: string) => ({ id: 12, name, isActive: true }),
      findGroup: (name: string) => ({ id: 3, name, isActive: true }),
      findChannel: () => 9,
    };
    const [renamed, described] = notices.map((notice) => renderMarkdown(`Ada ${notice}`, context));
    expect(renamed?.html).not.toContain('<a ');
    for (const one of [renamed, described]) expect(one?.mentions.isEveryone).toBe(false);
    // The description is a text in Markdown. Its links are in a quotation.
    expect(described?.html).toMatch(/^<p>[^<]*<\/p>\s*<blockquote>/);
  });
});
