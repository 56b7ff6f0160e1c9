import { Inject, Injectable } from '@nestjs/common';
import { storedTopic } from '#chat/channels';
import { EmojiLookup } from '#chat/emoji-names';
import { LinkifierLookup } from '#chat/linkifiers';
import { EXTERNAL_URL } from '#directory/auth';
import { UserAccess } from '#directory/users';
import type { Caller, RealmAccount } from '#platform/contracts';
import { realmUrl } from '#platform/core';
import {
  hasEmoticon,
  type MarkdownContext,
  mentionedNames,
  type TopicName,
} from '#platform/markdown';
import { linkedPaths } from '../sending/new-message.rules.js';
import { LinkedTopicRepository } from './linked-topic.repository.js';
import { contextOf, mediaOf, previewsOf } from './mentions.rules.js';
import { MentionRepository } from './mention.repository.js';
import { topicLinksIn, type TopicLinks } from './topic-links.rules.js';

/** Looks up the objects that messages refer to. */
@Injectable()
export class MessageContext {
  constructor(
    private readonly mentions: MentionRepository,
    private readonly topics: LinkedTopicRepository,
    private readonly access: UserAccess,
    private readonly emoji: EmojiLookup,
    private readonly linkifiers: LinkifierLookup,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  /**
   * The names, emoji and files in a source, and the linkifiers: a bounded number of statements, and only that of the
   * linkifiers where the source refers to nothing. The name of an object that the caller cannot see is left out, since a
   * mention would reveal the object.
   */
  async of(caller: Caller, source: string): Promise<MarkdownContext> {
    const author = { userId: caller.userId, realmId: caller.realm.id };
    const paths = linkedPaths(source);
    const [names, linkifiers, emoji, hasEmoticons, files] = await Promise.all([
      this.#namesIn(caller, author, source),
      this.linkifiers.of(author.realmId),
      this.emoji.inSource(author.realmId, source),
      hasEmoticon(source) && this.mentions.wantsEmoticons(author),
      paths.length === 0 ? [] : this.mentions.shownFiles(author, paths),
    ]);
    return {
      ...names,
      ...linkifiers,
      ...emoji,
      hasEmoticons,
      address: realmUrl(this.externalUrl, caller.realm.subdomain),
      previewOf: previewsOf(files),
      mediaOf: mediaOf(files),
    };
  }

  /** Finds the links in topics of an organisation: one statement. */
  async topicLinks(realmId: number): Promise<TopicLinks> {
    const { linksIn } = await this.linkifiers.of(realmId);
    return (topic) => topicLinksIn(topic, linksIn);
  }

  async #namesIn(caller: Caller, author: RealmAccount, source: string): Promise<MarkdownContext> {
    const named = mentionedNames(source);
    if (Object.values(named).every((names) => names.length === 0)) return contextOf([]);
    const found = await this.mentions.find(author, named);
    const people = found.filter(({ kind }) => kind === 'user').map(({ id }) => id);
    const visible = await this.access.visibleAmong(caller, people);
    const names = contextOf(found.filter(({ kind, id }) => kind !== 'user' || visible.has(id)));
    return { ...names, findTopic: await this.#topicsIn(author, names, named.topics) };
  }

  /** Finds a message of each topic: one statement. */
  async #topicsIn(
    { userId }: RealmAccount,
    { findChannel }: MarkdownContext,
    named: readonly TopicName[],
  ): Promise<(channel: string, topic: string) => number | undefined> {
    const topics = named.flatMap(({ channel, topic }) => {
      const channelId = findChannel(channel);
      return channelId === undefined ? [] : [{ channel, topic, channelId }];
    });
    if (topics.length === 0) return () => undefined;
    const newest = await this.topics.newestOf(
      userId,
      topics.map(({ channelId, topic }) => ({ channelId, topic: storedTopic(topic) })),
    );
    const ids = new Map(
      topics.map(({ channel, topic }, index) => [keyOf(channel, topic), newest[index]]),
    );
    return (channel, topic) => ids.get(keyOf(channel, topic));
  }
}

const keyOf = (channel: string, topic: string): string => `${channel}>${topic}`;
