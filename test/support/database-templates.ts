/** The databases that are made once in a run, to be copied by the test files. */
export type Template = 'migrated' | 'demo';

/** A template's name in the throwaway server, which holds the databases of one run only. */
export const templateName = (template: Template): string => `template_${template}`;

/** The secret that sealed the API keys of the demo organisation in the template. */
export const templateApiKeySecret = Buffer.alloc(32, 'test');
