/** The topic that a certificate's subject names, as Node writes subjects: one attribute a line. */
export function topicNamedBy(subject: string): string | undefined {
  return /^UID=(.+)$/m.exec(subject)?.[1];
}

/** Whether a topic is an app's: its bundle id, or one with a suffix for a kind of push, such as `.voip`. */
export function isTopicOfApp(topic: string, bundleId: string): boolean {
  return topic === bundleId || topic.startsWith(`${bundleId}.`);
}
