/**
 * Runs in a container beside the pods, and sends the probes of each pod as a node does. It reads orders from its standard
 * input, and writes what it sees on its standard output, as lines of JSON.
 */
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const pods = new Map();

const tell = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

/** Resolves with the status; rejects if there is none within the time. */
function ask(url, { timeoutMs }) {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { timeout: timeoutMs }, (response) => {
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

const orders = { watch, forget: ({ name }) => void pods.delete(name) };

for await (const line of createInterface({ input: process.stdin })) {
  const { order, ...settings } = JSON.parse(line);
  void orders[order](settings);
}
process.exit();
