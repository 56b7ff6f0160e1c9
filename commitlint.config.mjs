/** The form of commit messages; continuous integration checks the newest ones. */
export default {
  extends: ['@commitlint/config-conventional'],
  rules: {
    'type-enum': [
      2,
      'always',
      [
        'bench',
        'build',
        'chore',
        'ci',
        'docs',
        'feat',
        'fix',
        'perf',
        'refactor',
        'revert',
        'style',
        'test',
      ],
    ],
    // Formatting of the body is left to its author.
    'body-max-line-length': [0],
    'footer-max-line-length': [0],
  },
};
