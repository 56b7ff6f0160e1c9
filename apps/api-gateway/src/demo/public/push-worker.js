/** The service worker of the demo page: shows what Web Push brings, and closes what was read elsewhere. */

self.addEventListener('push', (event) => {
  event.waitUntil(show(event.data.json()));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(focusPage());
});

async function show(push) {
  if (push.type === 'confirm') {
    // Only the page can sign in: it returns the token.
    for (const page of await pages()) page.postMessage(push, []);
    // A browser takes the permission away for a push that shows nothing.
    await self.registration.showNotification('Carillon demo', {
      body: 'This browser is notified.',
      tag: 'confirm',
    });
    return;
  }
  for (const id of push.read_message_ids ?? []) await close(tagOf(push, id));
  if (push.type === 'test') {
    await self.registration.showNotification(push.realm_name, { body: 'A test notification' });
    return;
  }
  if (push.type !== 'message') return;
  const place =
    push.recipient_type === 'channel' ? `#${push.channel_name} > ${push.topic}` : push.realm_name;
  await self.registration.showNotification(push.sender_full_name, {
    body: `${place}\n${push.content}`,
    // A repeated push, and one of a message that is notified again, replace the first one.
    tag: tagOf(push, push.message_id),
  });
}

/** Several accounts may be notified in one browser. */
const tagOf = ({ realm_url, user_id }, messageId) => `${realm_url} ${user_id} ${messageId}`;

async function close(tag) {
  for (const shown of await self.registration.getNotifications({ tag })) shown.close();
}

const pages = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });

async function focusPage() {
  const [page] = await pages();
  await page?.focus();
}
