/** Generates the text of a section from the name in its marker and the words after the name. */
export type Sections = Readonly<Record<string, (...words: string[]) => string>>;

const SECTION =
  /<!-- generated: (?<marker>[^>]+?) -->\n(?<text>[\s\S]*?)\n<!-- end of generated -->/g;

/**
 * Regenerates the sections of a page. A section is between `<!-- generated: name words -->` and
 * `<!-- end of generated -->`.
 *
 * @throws Error for an unknown section.
 */
export function withSections(page: string, sections: Sections): string {
  return page.replaceAll(SECTION, (_, marker: string) => {
    const [name = '', ...words] = marker.split(' ');
    const section = sections[name];
    if (section === undefined) throw new Error(`No section is called "${name}"`);
    return `<!-- generated: ${marker} -->\n\n${section(...words)}\n\n<!-- end of generated -->`;
  });
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** A Markdown table with aligned columns, in the format of Prettier. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]) {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? '').length)),
  );
  return [
    line(head.map((cell, column) => cell.padEnd(widths[column] ?? 0))),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))),
  ].join('\n');
}
