import type { OurPrograms, Special } from './our-programs.js';

/** Runs presence and the gateway with special settings during the work, and stops both afterwards. */
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
