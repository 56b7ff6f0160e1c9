import type { Finding } from '../results.js';
import type { Bench, Scenario } from './scenario.js';

/** A column of the schema that came with what a scenario measures. */
interface Feature {
  readonly title: string;
  readonly table: string;
  readonly column: string;
}

/** A scenario that another build, which is measured beside this one, may be too old for: then it says so. */
export const scenarioWith = (
  feature: Feature,
  name: string,
  measure: (bench: Bench) => Promise<Finding | Finding[]>,
): Scenario => ({
  name,
  measure: async (bench) => {
    if (await bench.world.hasColumn(feature.table, feature.column)) return measure(bench);
    bench.progress.print(
      `${name}: the build in ${bench.programs.place.root} has no ${feature.title}`,
    );
    return [];
  },
});
