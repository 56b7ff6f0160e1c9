/**
 * Runs in a container beside the pods, and does what a node and an ingress do: it sends the probes of each pod, and the
 * requests of clients to pods that are ready, over connections that stay open; it repeats no request. It reads orders from its
 * standard input, and writes what it sees on its standard output, as lines of JSON.
 */
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const CLIENTS = 4;
const PAUSE_MS = 100;
/** The limits of rates count the requests of an account. */
const SIGNED_IN_PAUSE_MS = 1000;

const pods = new Map();
let load;

const tell = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

/** Resolves with the status; rejects if there is none within the time, by default that of common ingress controllers. */
function ask(url, { agent, headers = {}, timeoutMs = 60_000 } = {}) {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, headers, timeout: timeoutMs }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
      response.once('error', reject);
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.once('error', reject);
    outgoing.end();
  });
}

const passes = ({ url, timeoutMs }) =>
  ask(url, { timeoutMs }).then(
    (status) => status >= 200 && status < 400,
    () => false,
  );

/** Calls `react` with each result of a probe, and the number of equal results, while the pod is watched. */
async function probe(pod, settings, react) {
  let last;
  let count = 0;
  while (pods.get(pod.name) === pod) {
    const isGood = await passes(settings);
    count = isGood === last ? count + 1 : 1;
    last = isGood;
    if (react(isGood, count) === 'done') return;
    await delay(settings.periodMs);
  }
}

async function watch(pod) {
  pods.set(pod.name, pod);
  const { startup, liveness, readiness } = pod.probes;
  await probe(pod, startup, (isGood, count) => {
    pod.isStarted = isGood;
    const isOver = isGood || count >= startup.failureThreshold;
    if (isOver) tell({ pod: pod.name, started: isGood });
    return isOver ? 'done' : undefined;
  });
  if (!pod.isStarted) return;
  void probe(pod, liveness, (isGood, count) => {
    if (!isGood && count === liveness.failureThreshold) tell({ pod: pod.name, alive: false });
  });
  void probe(pod, readiness, (isGood, count) => {
    const isReady = isGood || (pod.isReady === true && count < readiness.failureThreshold);
    if (isReady !== pod.isReady) tell({ pod: pod.name, ready: isReady });
    pod.isReady = isReady;
  });
}

/** An address for performance tests, as an ingress would pass it on: the limits of rates count those of an address, too. */
const anyAddress = () =>
  `198.18.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;

async function client(run, isSignedIn) {
  const { path, authorization, pauseMs } = isSignedIn
    ? { ...run.signedIn, pauseMs: SIGNED_IN_PAUSE_MS }
    : { ...run.anonymous, pauseMs: PAUSE_MS };
  for (let turn = 0; run.isOn; turn += 1) {
    const ready = [...pods.values()].filter((pod) => pod.isReady && pod.service !== undefined);
    const pod = ready[turn % ready.length];
    const headers = { host: run.host, 'x-forwarded-for': anyAddress() };
    if (isSignedIn) headers.authorization = authorization;
    try {
      if (pod === undefined) throw new Error('no pod is ready');
      pod.agent ??= new Agent({ keepAlive: true });
      const status = await ask(`${pod.service}${path}`, { agent: pod.agent, headers });
      if (status !== 200) throw new Error(`${status}`);
      run.served[pod.name] = (run.served[pod.name] ?? 0) + 1;
    } catch (error) {
      const seconds = Math.round((performance.now() - run.beganAt) / 1000);
      const state = pod?.isReady === true ? 'ready' : 'not ready';
      run.failures.push(`${path} of ${pod?.name}: ${error.message} (${seconds} s, ${state})`);
    }
    await delay(pauseMs);
  }
}

const orders = {
  watch,
  forget: ({ name }) => void pods.delete(name),
  load: (settings) => {
    load = { ...settings, isOn: true, beganAt: performance.now(), served: {}, failures: [] };
    load.done = Promise.all(
      Array.from({ length: CLIENTS }, (_, index) => client(load, index === 0)),
    );
  },
  end: async () => {
    load.isOn = false;
    await load.done;
    tell({ served: load.served, failures: load.failures });
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { order, ...settings } = JSON.parse(line);
  void orders[order](settings);
}
process.exit();
