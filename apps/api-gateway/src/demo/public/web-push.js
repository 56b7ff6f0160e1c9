const WORKER = '/demo/files/push-worker.js';
const PATH = '/users/me/web_push_subscription';
/** Chromium without a way to its push service never answers. */
const SERVICE_MS = 20_000;
const PUSH_MS = 60_000;

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
 * Subscribes this browser with the key of the server and registers it. `send` sends a request of the account, and resolves with
 * null if it was refused; then this resolves with false. Rejects with an error that says what failed.
 */
export async function registerWebPush(publicKey, send) {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('Notifications were not allowed.');
  }
  const registration = await navigator.serviceWorker.register(WORKER);
  await activated(registration);
  const { endpoint, keys } = (await subscribe(registration, publicKey)).toJSON();
  const token = new AbortController();
  const pushed = confirmationOf(token.signal);
  try {
    const answer = await send('POST', PATH, {
      endpoint,
      p256dh: keys.p256dh,
      auth: keys.auth,
      vapid_public_key: publicKey,
    });
    if (answer === null || answer.state === 'active') return answer !== null;
    const late = 'The server has sent a push, and this browser has not got it yet. Try again.';
    const { subscription_id, confirmation_token } = await within(pushed, PUSH_MS, late);
    const confirmation = { subscription_id, confirmation_token };
    return (await send('POST', `${PATH}/confirm`, confirmation)) !== null;
  } finally {
    token.abort();
  }
}

/** The push that asks for the confirmation, as the worker passes it on. */
function confirmationOf(signal) {
  const { serviceWorker } = navigator;
  return new Promise((resolve) => {
    const take = ({ data }) => {
      if (data.type === 'confirm') resolve(data);
    };
    serviceWorker.addEventListener('message', take, { signal });
    serviceWorker.startMessages();
  });
}

/** A browser keeps one subscription for each worker. One with an older key of the server is replaced. */
async function subscribe({ pushManager }, publicKey) {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const ask = () => within(pushManager.subscribe(options), SERVICE_MS, 'no answer');
  try {
    return await ask().catch(async (error) => {
      const old = await pushManager.getSubscription();
      if (error.name !== 'InvalidStateError' || old === null) throw error;
      await old.unsubscribe();
      return ask();
    });
  } catch (error) {
    throw new Error(`The push service of this browser cannot be reached: ${error.message}`, {
      cause: error,
    });
  }
}

/** Settles like the work, or rejects with this text after a time. */
function within(work, ms, text) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(text)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
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
