import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapCodeStatistics } from 'node:v8';
import { MEMORY_SIGNAL, memoryLine } from './memory-line.js';

/** Memory of buffers that one collection finds unreachable is freed by the next. */
const COLLECTIONS = 3;

/** Collects garbage and reports the memory in use without code. Preloaded into a measured program. */
async function reportMemory(): Promise<void> {
  for (let done = 0; done < COLLECTIONS; done += 1) {
    globalThis.gc?.();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  const { code_and_metadata_size: compiled, bytecode_and_metadata_size: bytecode } =
    getHeapCodeStatistics();
  process.stdout.write(memoryLine(heapUsed + external - compiled - bytecode));
}

process.on(MEMORY_SIGNAL, () => void reportMemory());
