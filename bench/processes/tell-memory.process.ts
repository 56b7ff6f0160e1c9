import { MEMORY_SIGNAL, memoryLine } from './memory-line.js';

// Preloaded into a program of ours: when it is asked, it collects its garbage and tells what it still holds.
process.on(MEMORY_SIGNAL, () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(memoryLine(heapUsed + external));
});
