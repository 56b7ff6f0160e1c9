const WORKER = '/demo/files/push-worker.js';

/** Why this browser cannot be notified, as a person can change it; null if it can. */
export function obstacleToWebPush(publicKey) {
  if (publicKey === null) {
    return 'This server has no key for Web Push: make one with carillon web-push-keys add.';
  }
  if (!window.isSecureContext) return 'Web Push needs HTTPS, or a page of this computer.';
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) {
    return 'This browser has no Web Push. In private windows it is often off.';
  }
  if (Notification.permission === 'denied') {
    return 'Notifications of this page are forbidden in the settings of the browser.';
  }
  return null;
}

/**
 * Subscribes this browser with the key of the server and registers it. `send` sends a request of the account. Throws an error that
 * says what failed.
 */
export async function registerWebPush(publicKey, send) {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('Notifications were not allowed.');
  }
  const registration = await navigator.serviceWorker.register(WORKER);
  await activated(registration);
  const subscription = await subscribe(registration, publicKey);
  const { endpoint, keys } = subscription.toJSON();
  const confirmed = new Promise((resolve) => {
    const confirm = async ({ data }) => {
      if (data.type !== 'confirm') return;
      navigator.serviceWorker.removeEventListener('message', confirm);
      const { subscription_id, confirmation_token } = data;
      resolve(
        await send('POST', '/users/me/web_push_subscription/confirm', {
          subscription_id,
          confirmation_token,
        }),
      );
    };
    navigator.serviceWorker.addEventListener('message', confirm);
    navigator.serviceWorker.startMessages();
  });
  const answer = await send('POST', '/users/me/web_push_subscription', {
    endpoint,
    p256dh: keys.p256dh,
    auth: keys.auth,
    vapid_public_key: publicKey,
  });
  if (answer !== null && answer.state === 'pending') await confirmed;
  return answer !== null;
}

/** A browser keeps one subscription for each worker. One with an older key of the server is replaced. */
async function subscribe({ pushManager }, publicKey) {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  try {
    return await pushManager.subscribe(options);
  } catch (error) {
    const old = await pushManager.getSubscription();
    if (old === null) {
      throw new Error(`The push service of this browser cannot be reached: ${error.message}`, {
        cause: error,
      });
    }
    await old.unsubscribe();
    return pushManager.subscribe(options);
  }
}

async function activated({ installing, waiting, active }) {
  const worker = installing ?? waiting;
  if (active !== null || worker === null) return;
  await new Promise((resolve) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve();
    });
  });
}
