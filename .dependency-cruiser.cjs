/** The walls of docs/architecture.md, checked by `npm run walls`. */

const onlyIn = (name, what, where, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { pathNot: where },
  to: { path: what },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A circular import hides who owns what and breaks decorator metadata.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'apps-stand-apart',
      comment: 'An app never imports another app.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'libs-know-no-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(apps|deploy|bench|prisma)/' },
    },
    {
      name: 'libs-through-their-index',
      comment: 'A lib is imported only through its index.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/([^/]+)/src/', pathNot: ['^libs/$1/', '^libs/[^/]+/src/index\\.ts$'] },
    },
    {
      name: 'apps-import-libs-through-their-index',
      severity: 'error',
      from: { path: '^(apps|deploy|bench|test|prisma)/' },
      to: { path: '^libs/[^/]+/src/', pathNot: '^libs/[^/]+/src/index\\.ts$' },
    },
    {
      name: 'contracts-import-nothing-of-ours',
      severity: 'error',
      from: { path: '^libs/contracts/' },
      to: { path: '^(apps|libs)/', pathNot: '^libs/contracts/' },
    },
    onlyIn('bullmq-only-in-queue', 'node_modules/(@nestjs/)?bullmq/', '^(libs/queue|bench)/'),
    onlyIn(
      'ioredis-only-in-redis-and-queue',
      'node_modules/ioredis/',
      '^(libs/(redis|queue)|bench)/',
    ),
    onlyIn(
      'prisma-client-only-in-repositories',
      '^libs/database/src/generated/|node_modules/@prisma/client/',
      '^libs/database/|\\.repository\\.ts$',
    ),
    onlyIn(
      'pg-only-in-database',
      'node_modules/pg/',
      '^(libs/database|deploy/local)/|^test/support/(count-statements|database-probe)\\.ts$',
    ),
    onlyIn(
      'firebase-only-in-its-transport',
      'node_modules/firebase-admin/',
      '^(libs/push-transport/src/fcm|bench)/',
    ),
    onlyIn(
      'node-apn-only-in-its-transport',
      'node_modules/@parse/node-apn/',
      '^(libs/push-transport/src/apns|bench)/',
    ),
    onlyIn(
      'markdown-only-in-its-lib',
      'node_modules/(markdown-it|sanitize-html)/',
      '^libs/markdown/',
    ),
    onlyIn(
      'file-storage-only-in-uploads',
      'node_modules/(@tus|@aws-sdk)/',
      '^(libs/uploads|test)/',
    ),
    onlyIn(
      'bull-board-only-at-the-ops-page',
      'node_modules/@bull-board/',
      '^(libs/queue/src/queue-board|apps/api-gateway/src/ops/queue-board/)',
    ),
    onlyIn(
      'command-line-libraries-only-in-cli',
      'node_modules/(commander|cli-table3)/',
      '^apps/cli/',
    ),
    onlyIn('oauth-only-in-video-calls', 'node_modules/oauth4webapi/', '^libs/video-calls/'),
    onlyIn('emoji-data-only-in-emoji', 'node_modules/emojibase-data/', '^libs/emoji/'),
    onlyIn(
      'password-and-email-lists-only-in-users',
      'node_modules/(@zxcvbn-ts|disposable-email-domains-js)/',
      '^libs/users/',
    ),
    onlyIn(
      'telemetry-clients-only-in-telemetry',
      'node_modules/(prom-client|@opentelemetry|bullmq-otel)/',
      '^libs/telemetry/',
    ),
    {
      name: 'rules-are-pure',
      comment: 'Files named *.rules.ts know neither Nest nor a client.',
      severity: 'error',
      from: { path: '^(?:libs|apps)/([^/]+)/.*\\.rules\\.ts$' },
      to: {
        path: 'node_modules/(@nestjs|bullmq|ioredis|pg|@prisma|fastify|firebase-admin|@parse)/|^libs/(redis|queue|database)/',
        pathNot: '^libs/$1/',
      },
    },
    {
      name: 'test-support-only-in-tests',
      comment: 'No program is made of what its tests share.',
      severity: 'error',
      from: { pathNot: ['^(test|bench)/', '[.-]spec\\.ts$', '\\.fixture\\.ts$'] },
      to: { path: '^test/' },
    },
    {
      name: 'fixtures-only-in-tests',
      comment: 'Files named *.fixture.ts are not built.',
      severity: 'error',
      from: { pathNot: ['^test/', '[.-]spec\\.ts$', '\\.fixture\\.ts$'] },
      to: { path: '\\.fixture\\.ts$' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '\\.mjs$', '-?spec\\.ts$', '/main\\.ts$'] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist', '/generated/'] },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['carillon-source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
