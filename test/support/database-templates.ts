/** The template databases of a run, which the test files copy. */
export type Template = 'migrated' | 'demo';

/** The name of a template in the temporary server, which holds the databases of one run only. */
export const templateName = (template: Template): string => `template_${template}`;

/** The secret that seals the API keys of the demo organisation in the template. */
export const templateApiKeySecret = Buffer.alloc(32, 'test');

/** The secret that seals the keys of the push service in that template. */
export const templatePushKeySecret = Buffer.alloc(32, 'push');
