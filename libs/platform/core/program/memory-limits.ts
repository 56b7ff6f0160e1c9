import { getHeapStatistics } from 'node:v8';
import type { LoggerService } from '@nestjs/common';

const MEBIBYTE = 2 ** 20;

/** The memory that a program needs under the largest load that its limits allow, in MiB. */
interface MemoryNeeds {
  /** Of the whole process. */
  readonly process: number;
  /** Of V8's heap. */
  readonly heap: number;
}

/** The limits of a process, in bytes. */
interface MemoryLimits {
  /** That of its container; 0 without one. */
  readonly container: number;
  readonly heap: number;
}

/** Says which limit is too small for a program; null if none is. */
export function memoryShortage(needs: MemoryNeeds, limits: MemoryLimits): string | null {
  const limitMib = Math.floor(limits.container / MEBIBYTE);
  if (limitMib > 0 && limitMib < needs.process) {
    return `The container has ${limitMib} MiB of memory; under load this program needs ${needs.process} MiB, and would be killed`;
  }
  const heapMib = Math.floor(limits.heap / MEBIBYTE);
  if (heapMib < needs.heap) {
    return `The heap of Node may have ${heapMib} MiB; under load this program needs ${needs.heap} MiB, and would end`;
  }
  return null;
}

/** Logs a limit of memory that is too small for this program. */
export function warnOfLittleMemory(logger: Pick<LoggerService, 'warn'>, needs: MemoryNeeds): void {
  const limits = {
    container: process.constrainedMemory(),
    heap: getHeapStatistics().heap_size_limit,
  };
  const shortage = memoryShortage(needs, limits);
  if (shortage !== null) logger.warn(shortage, 'Memory');
}

/** Says that the container of this process is too small for another program in it; null if it is not. Its limit is in bytes. */
export const containerShortage = (
  needs: MemoryNeeds,
  container = process.constrainedMemory(),
): string | null => memoryShortage(needs, { container, heap: Infinity });
