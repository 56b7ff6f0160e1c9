import { literalText, quoteBlock } from '#platform/markdown';
import { isHistoryPublic } from '../listing/channel-fields.rules.js';
import type { StoredChannel } from '../channel.repository.js';

type Shown = Pick<
  StoredChannel,
  'name' | 'description' | 'isPrivate' | 'isWebPublic' | 'isHistoryPublic' | 'archivedAt'
>;

const kindOf = (channel: Shown): string => {
  if (channel.isWebPublic) return 'Web-public';
  if (!channel.isPrivate) return 'Public';
  return isHistoryPublic(channel) ? 'Private, shared history' : 'Private, protected history';
};

/** The notices of a change, in Markdown, to follow the name of the account that made the change. */
export function noticesOf(before: Shown, after: Shown): string[] {
  const notices: string[] = [];
  if (before.archivedAt !== null) notices.push('unarchived this channel.');
  if (before.name !== after.name) {
    const names = `from **${literalText(before.name)}** to **${literalText(after.name)}**`;
    notices.push(`renamed this channel ${names}.`);
  }
  if (kindOf(before) !== kindOf(after)) {
    const kinds = `from **${kindOf(before)}** to **${kindOf(after)}**`;
    notices.push(`changed the access permissions for this channel ${kinds}.`);
  }
  if (before.description !== after.description) {
    const text =
      after.description === '' ? ' No description.' : `\n${quoteBlock(after.description)}`;
    notices.push(`changed the description for this channel:${text}`);
  }
  return notices;
}
