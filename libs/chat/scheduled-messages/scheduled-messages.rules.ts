/** The reason for which a message that was not sent in time is not sent any more. */
export const TOO_LATE = 'The server could not send it in time.';

/** The notice for the author of a scheduled message that cannot be sent, in Markdown. `reason` is plain text. */
export function failureText(deliverAt: Date, reason: string): string {
  const time = `<time:${deliverAt.toISOString()}>`;
  return `Your message that was scheduled for ${time} was not sent:\n\n> ${oneLine(reason)}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();
