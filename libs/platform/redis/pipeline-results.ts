/** The results of a pipeline, in the order of its commands; throws the first error. */
export function pipelineResults(results: [Error | null, unknown][] | null): unknown[] {
  return (results ?? []).map(([error, result]) => {
    if (error !== null) throw error;
    return result;
  });
}
