interface Ruler<Rule> {
  getRules(chain: string): readonly Rule[];
}

/** An active rule of the parser by the name of its function. Throws when the parser has no such rule. */
export function ruleNamed<Rule extends { readonly name: string }>(
  ruler: Ruler<Rule>,
  name: string,
): Rule {
  const rule = ruler.getRules('').find((known) => known.name === name);
  if (rule === undefined) throw new Error(`markdown-it has no rule named ${name}`);
  return rule;
}
