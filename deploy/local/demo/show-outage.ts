import { type DemoApi } from './demo-api.js';
import { DemoMismatch } from './demo-mismatch.js';
import type { Inbox } from './inbox.js';
import { send } from './messages.js';
import type { Narrator } from './narrator.js';
import { expectLines, showAlert } from './screens.js';
import type { Story } from './show-message-notifications.js';

/** Has Apple go away while a message is sent: Android phones feel nothing of it, and iPhones get it later. */
export async function showOutage(
  api: DemoApi,
  inbox: Inbox,
  narrator: Narrator,
  story: Story,
): Promise<void> {
  try {
    await showOneProviderDown(api, inbox, narrator, story);
  } finally {
    await inbox.setProvider('apns', 'ok');
  }
}

async function showOneProviderDown(
  api: DemoApi,
  inbox: Inbox,
  narrator: Narrator,
  { sender, reader }: Story,
): Promise<void> {
  const { iphone, android } = reader;
  narrator.chapter(
    'Apple goes down',
    'The sandbox refuses connections in its place. Google does not feel it: each has queues of its own.',
  );
  const shownBefore = (await inbox.shownOn(iphone.token)).length;
  tellProvider(narrator, 'down');
  await inbox.setProvider('apns', 'down');
  const content = 'Just arrived. Which room?';
  await send(api, sender, { type: 'direct', to: `[${reader.userId}]`, content });
  await inbox.nthOn(android.token, shownBefore + 1);
  narrator.seen('It arrived at the Android phone.');
  const shownMeanwhile = (await inbox.shownOn(iphone.token)).length - shownBefore;
  if (shownMeanwhile > 0) {
    throw new DemoMismatch('Nothing arrives at the iPhone', `${shownMeanwhile} arrived`);
  }
  narrator.seen('For the iPhone it waits.');

  narrator.chapter(
    'Apple comes back',
    'The push worker finds out by itself, and sends what waited, unless its time to live is over by then.',
  );
  tellProvider(narrator, 'ok');
  await inbox.setProvider('apns', 'ok');
  const arrival = await inbox.nthOn(iphone.token, shownBefore + 1);
  expectLines(iphone, showAlert(narrator, iphone, arrival), [sender.fullName, content]);
  narrator.seen('It arrived at the iPhone.');
}

const tellProvider = (narrator: Narrator, mode: 'ok' | 'down') =>
  narrator.request('the sandbox', ['PUT', '/api/platforms/apns'], { mode });
