/** Classes of Pygments by those of highlight.js. */
const CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    k: 'keyword',
    nb: 'built_in selector-pseudo',
    kt: 'type',
    kc: 'literal',
    o: 'operator',
    p: 'punctuation',
    sr: 'regexp',
    se: 'char',
    ss: 'symbol link',
    nv: 'variable template-variable',
    nf: 'title function_',
    nc: 'class_ selector-class',
    cs: 'doctag',
    cp: 'meta template-tag',
    nt: 'tag name selector-tag',
    na: 'attr attribute property selector-attr',
    ni: 'selector-id',
    gh: 'section',
    ge: 'emphasis',
    gs: 'strong',
    gi: 'addition',
    gd: 'deletion',
    bp: 'language_',
    w: 'whitespace',
  }).flatMap(([short, names]) => names.split(' ').map((name) => [name, short] as const)),
);

/** The words, numbers, operators and marks of code that its grammar leaves without a class. */
const UNCLASSED = /[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|[-+*/%=<>!&|^~?@]+|[()[\]{},;:.\\]+|\s+|[^]/gu;

/** Grammars of texts, in which a word without a class is text. */
const TEXTS: ReadonlySet<string> = new Set(
  'xml markdown diff plaintext latex ini yaml http makefile dockerfile nginx shell bash'.split(' '),
);

/** Scopes around whole parts of code. */
const TRANSPARENT: ReadonlySet<string> = new Set(['', 'params', 'subst', 'function', 'class']);

const NUMBER = /^\d/;
const WORD = /^[\p{L}_$]/u;
const MARK = /^[()[\]{},;:.\\]/;
const OPERATOR = /^[-+*/%=<>!&|^~?@]/;

/** Part of code with its class; null for none. */
export interface CodePart {
  readonly text: string;
  readonly className: string | null;
}

/** The parts of a text, in the innermost of the classes of highlight.js around it. */
export function partsOf(text: string, scopes: readonly string[], grammar: string): CodePart[] {
  const scope = scopes.findLast((name) => !TRANSPARENT.has(name));
  if (scope === 'meta' && text.startsWith('<?')) {
    return [
      { text: text.slice(0, 2), className: 'o' },
      { text: text.slice(2), className: 'nx' },
    ];
  }
  if (scope !== undefined) return [{ text, className: classOf(scope, text) }];
  if (grammar === 'latex') return text.split(/([{}]+)/).map(braces);
  if (TEXTS.has(grammar)) return [{ text, className: null }];
  return (text.match(UNCLASSED) ?? []).map((part) => ({
    text: part,
    className: classOfWord(part, grammar),
  }));
}

const braces = (text: string): CodePart => ({
  text,
  className: text.startsWith('{') || text.startsWith('}') ? 'nb' : null,
});

function classOf(scope: string, text: string): string | null {
  if (text.startsWith('#!') && (scope === 'comment' || scope === 'meta')) return 'ch';
  if (scope === 'comment') return text.startsWith('/*') || text.startsWith('<!--') ? 'cm' : 'c1';
  if (scope === 'string') return stringClass(text);
  if (scope === 'number') return numberClass(text);
  return CLASSES.get(scope) ?? null;
}

function stringClass(text: string): string {
  if (text.startsWith("'")) return 's1';
  return text.startsWith('"') ? 's2' : 's';
}

function numberClass(text: string): string {
  if (/^0x/i.test(text)) return 'mh';
  return /[.e]/i.test(text) ? 'mf' : 'mi';
}

function classOfWord(word: string, grammar: string): string | null {
  if (NUMBER.test(word)) return numberClass(word);
  if (MARK.test(word)) return 'p';
  if (OPERATOR.test(word)) return 'o';
  if (!WORD.test(word)) return null;
  if (grammar === 'python' && (word === 'self' || word === 'cls')) return 'bp';
  return ['javascript', 'typescript', 'php', 'go'].includes(grammar) ? 'nx' : 'n';
}
