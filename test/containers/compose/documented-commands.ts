import { readFileSync } from 'node:fs';

const PAGE = 'docs/operations.md';

/** The text under a heading, up to the next heading. Throws Error without the heading. */
function sectionOf(heading: string): string {
  const [, after] = readFileSync(PAGE, 'utf8').split(new RegExp(`^#+ ${heading}\n`, 'm'));
  if (after === undefined) throw new Error(`${PAGE} has no heading "${heading}"`);
  return after.split(/^##/m)[0] ?? '';
}

/** Removes the indentation of a block within a list. */
function dedent(block: string): string {
  const [indentation = ''] = /^ */.exec(block) ?? [];
  return block.replaceAll(new RegExp(`^${indentation}`, 'gm'), '');
}

/**
 * The commands of docs/operations.md: the code block under a heading that contains a text. Throws Error unless there is exactly
 * one, so that the page and the tests cannot differ.
 */
export function documentedCommands(heading: string, containing: string): string {
  const blocks = [...sectionOf(heading).matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)]
    .map(([, block = '']) => dedent(block))
    .filter((block) => block.includes(containing));
  const [block, ...others] = blocks;
  if (block === undefined || others.length > 0) {
    throw new Error(`${PAGE}, "${heading}": ${blocks.length} blocks contain "${containing}"`);
  }
  return block;
}
