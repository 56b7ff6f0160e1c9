import { Logger } from '@nestjs/common';
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import type { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { TracingOptions } from './open-provider.js';

let provider: NodeTracerProvider | undefined;

/** Whether spans are made in this process. */
export const isTracing = (): boolean => provider !== undefined;

/**
 * Has the process make spans from here on, and send them to the collector; null leaves it as it is, and
 * then nothing that asks for a span costs anything. Wait for it before the program's modules are put together.
 */
export async function startTracing(program: string, options: TracingOptions | null): Promise<void> {
  if (options === null || provider !== undefined) return;
  // Hundreds of modules, which a program that is not traced does without.
  const { openProvider } = await import('./open-provider.js');
  provider = openProvider(program, options);
  provider.register();
  reportTrouble();
}

/** Sends what is still to be sent, and makes no more spans. Never rejects. */
export async function stopTracing(): Promise<void> {
  const stopped = provider;
  provider = undefined;
  if (stopped === undefined) return;
  await stopped.shutdown().catch(() => undefined);
  for (const api of [trace, context, propagation, diag]) api.disable();
}

const ignore = () => undefined;

/** A collector that is away is told of once, and not at every batch. */
function reportTrouble(): void {
  const logger = new Logger('Tracing');
  let isTold = false;
  const tell = () => {
    if (!isTold) logger.warn('Spans cannot be sent: the collector refuses them, or is away.');
    isTold = true;
  };
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
