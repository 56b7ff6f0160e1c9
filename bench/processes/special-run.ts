import type { OurPrograms, Special } from './our-programs.js';

/** Has presence and the gateway run with something special meanwhile, and not run after that. */
export async function withSpecial<Result>(
  programs: OurPrograms,
  special: Special,
  work: () => Promise<Result>,
): Promise<Result> {
  const stopBoth = async () => {
    await programs.stopOne('api-gateway');
    await programs.stopOne('presence');
  };
  await stopBoth();
  await programs.start('presence', special);
  await programs.start('api-gateway', { environment: special.environment ?? {} });
  try {
    return await work();
  } finally {
    await stopBoth();
  }
}
