/** Finds one cycle of a directed graph: its nodes in order, the first repeated at the end; null without a cycle. */
export function cycleIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const finished = new Set<string>();

  const search = (node: string, path: readonly string[]): string[] | null => {
    const start = path.indexOf(node);
    if (start !== -1) return [...path.slice(start), node];
    if (finished.has(node)) return null;
    for (const next of graph.get(node) ?? []) {
      const cycle = search(next, [...path, node]);
      if (cycle !== null) return cycle;
    }
    finished.add(node);
    return null;
  };

  for (const node of graph.keys()) {
    const cycle = search(node, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
