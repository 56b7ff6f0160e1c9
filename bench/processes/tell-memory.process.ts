import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapCodeStatistics } from 'node:v8';
import { MEMORY_SIGNAL, memoryLine } from './memory-line.js';

/** What one collection finds dead of buffers is given back by the next. */
const COLLECTIONS = 3;

/** Preloaded into a program of ours: when it is asked, it collects its garbage and tells what it still holds beside code. */
async function tellMemory(): Promise<void> {
  for (let done = 0; done < COLLECTIONS; done += 1) {
    globalThis.gc?.();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  const { code_and_metadata_size: compiled, bytecode_and_metadata_size: bytecode } =
    getHeapCodeStatistics();
  process.stdout.write(memoryLine(heapUsed + external - compiled - bytecode));
}

process.on(MEMORY_SIGNAL, () => void tellMemory());
