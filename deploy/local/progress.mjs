import { styleText } from 'node:util';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Without a terminal, a slow step is printed after SLOW_MS, and again every BEAT_MS. */
const SLOW_MS = 2000;
const BEAT_MS = 15_000;

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/**
 * Shows the steps of a command: a live line on a terminal, otherwise plain lines.
 * Steps may run concurrently.
 */
export class Progress {
  /** @type {Set<{ title: string, beganAt: number, spokeAt: number }>} */
  #running = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #frame = 0;
  #isDrawn = false;

  /** @param {import('node:tty').WriteStream} stream */
  constructor(stream = process.stdout) {
    this.stream = stream;
    // The reader may close the pipe (`npm start | head`).
    stream.on('error', () => undefined);
    this.isLive = stream.isTTY === true;
    this.hasColors = this.isLive && stream.hasColors();
  }

  /**
   * Runs one step and reports how it ended and how long it took; rethrows its error.
   * @template Result
   * @param {string} title
   * @param {() => Promise<Result>} work
   * @param {(result: Result) => string} [doneTitle] what to say when it went well
   * @returns {Promise<Result>}
   */
  async step(title, work, doneTitle = () => title) {
    const beganAt = performance.now();
    const step = { title, beganAt, spokeAt: beganAt };
    this.#running.add(step);
    this.#timer ??= setInterval(() => this.#tick(), FRAME_MS);
    try {
      const result = await work();
      this.#end(step, this.paint('green', '✔'), doneTitle(result));
      return result;
    } catch (error) {
      this.#end(step, this.paint('red', '✖'), title);
      throw error;
    }
  }

  /**
   * Prints one line, above the live line when there is one.
   * @param {string} text
   */
  print(text) {
    this.stream.write(`${this.#erase()}${text}\n`);
    this.#draw();
  }

  /**
   * Colours a text when the stream shows colours.
   * @param {Parameters<typeof styleText>[0]} format
   * @param {string} text
   */
  paint(format, text) {
    return this.hasColors ? styleText(format, text) : text;
  }

  #end(step, mark, title) {
    this.#running.delete(step);
    if (this.#running.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const took = seconds(performance.now() - step.beganAt);
    this.print(`${mark} ${title.padEnd(56)} ${this.paint('dim', took.padStart(8))}`);
  }

  #tick() {
    this.#frame = (this.#frame + 1) % FRAMES.length;
    if (this.isLive) {
      this.stream.write(this.#erase());
      this.#draw();
      return;
    }
    const now = performance.now();
    for (const step of this.#running) {
      const hasSpoken = step.spokeAt > step.beganAt;
      if (now - step.spokeAt < (hasSpoken ? BEAT_MS : SLOW_MS)) continue;
      step.spokeAt = now;
      const since = hasSpoken ? ` (${seconds(now - step.beganAt)} so far)` : '';
      this.print(`… ${step.title}${since}`);
    }
  }

  #draw() {
    const [oldest] = this.#running;
    if (!this.isLive || oldest === undefined) return;
    const titles = [...this.#running].map((step) => step.title).join(' · ');
    const took = seconds(performance.now() - oldest.beganAt);
    const room = Math.max(20, (this.stream.columns || 80) - took.length - 5);
    this.#isDrawn = true;
    this.stream.write(`${FRAMES[this.#frame]} ${titles.slice(0, room)}  ${took}`);
  }

  #erase() {
    if (!this.#isDrawn) return '';
    this.#isDrawn = false;
    return '\r\u001B[K';
  }
}
