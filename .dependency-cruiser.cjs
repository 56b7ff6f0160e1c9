/** The import rules of docs/reference.md, checked by `npm run walls`. */

const onlyIn = (name, what, where, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { pathNot: where },
  to: { path: what },
});

/** What a capability exports: its services, and apart from them its endpoints. */
const entries = '^libs/[^/]+/[^/]+/(index|endpoints)\\.ts$';

/** The files of a capability that belong to its endpoints. */
const httpFile = '\\.(controller|schema|response|request)\\.ts$|/endpoints\\.ts$';

/** The wings, and which others each may import. */
const wings = {
  platform: [],
  events: ['platform'],
  directory: ['platform', 'events'],
  chat: ['platform', 'events', 'directory'],
  presence: ['platform', 'events', 'directory'],
  // It notifies of messages.
  push: ['platform', 'events', 'directory', 'chat'],
};

const wingRules = Object.entries(wings).map(([wing, others]) => ({
  name: `${wing}-imports-no-higher-wing`,
  comment: 'The lower publishes a port or an event where it needs the higher.',
  severity: 'error',
  from: { path: `^libs/${wing}/` },
  to: { path: '^libs/', pathNot: `^libs/(${[wing, ...others].join('|')})/` },
}));

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
    ...wingRules,
    {
      name: 'libs-know-no-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(apps|deploy|bench|prisma)/' },
    },
    {
      name: 'libs-through-their-index',
      comment: 'A capability is imported only through its index.ts and its endpoints.ts.',
      severity: 'error',
      from: { path: '^libs/([^/]+/[^/]+)/' },
      to: { path: '^libs/', pathNot: ['^libs/$1/', entries] },
    },
    {
      name: 'others-import-libs-through-their-index',
      severity: 'error',
      from: { path: '^(apps|deploy|bench|test|prisma)/' },
      to: { path: '^libs/', pathNot: entries },
    },
    {
      name: 'endpoints-only-in-the-gateway',
      comment: 'A program without HTTP endpoints does not load their controllers.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^apps/api-gateway/', httpFile, '[.-]spec\\.ts$'] },
      to: { path: '^libs/[^/]+/[^/]+/endpoints\\.ts$' },
    },
    {
      name: 'index-loads-no-controller',
      comment: 'Controllers are exported by endpoints.ts, which only the gateway imports.',
      severity: 'error',
      from: { path: '^libs/[^/]+/[^/]+/index\\.ts$' },
      to: { path: '\\.controller\\.ts$', reachable: true },
    },
    {
      name: 'contracts-import-nothing-of-ours',
      severity: 'error',
      from: { path: '^libs/platform/contracts/' },
      to: { path: '^(apps|libs)/', pathNot: '^libs/platform/contracts/' },
    },
    onlyIn(
      'bullmq-only-in-queue',
      'node_modules/(@nestjs/)?bullmq/',
      '^(libs/platform/queue|bench)/',
    ),
    onlyIn(
      'ioredis-only-in-redis-and-queue',
      'node_modules/ioredis/',
      '^(libs/platform/(redis|queue)|bench)/',
    ),
    onlyIn(
      'prisma-client-only-in-repositories',
      '^libs/platform/database/generated/|node_modules/@prisma/client/',
      '^libs/platform/database/|\\.repository\\.ts$',
    ),
    onlyIn(
      'pg-only-in-database',
      'node_modules/pg/',
      '^(libs/platform/database|deploy/local)/|^test/support/(count-statements|database-probe)\\.ts$',
    ),
    onlyIn(
      'firebase-only-in-its-transport',
      'node_modules/firebase-admin/',
      '^(libs/push/providers/fcm|bench)/',
    ),
    onlyIn(
      'node-apn-only-in-its-transport',
      'node_modules/@parse/node-apn/',
      '^(libs/push/providers/apns|bench)/',
    ),
    onlyIn(
      'libsodium-only-in-encryption',
      'node_modules/libsodium(-wrappers)?/',
      '^libs/push/encryption/',
    ),
    onlyIn(
      'markdown-only-in-its-lib',
      'node_modules/(markdown-it|sanitize-html|katex|highlight\\.js)/',
      '^libs/platform/markdown/',
    ),
    onlyIn(
      'file-storage-only-in-uploads',
      'node_modules/(@tus|@aws-sdk)/',
      '^(libs/chat/uploads|test)/',
    ),
    onlyIn(
      'bull-board-only-at-the-ops-page',
      'node_modules/@bull-board/',
      '^libs/(platform/queue/queue-board|push/admin/ops/queue-board)',
    ),
    onlyIn(
      'command-line-libraries-only-in-cli',
      'node_modules/(commander|cli-table3)/',
      '^apps/cli/',
    ),
    onlyIn('oauth-only-in-video-calls', 'node_modules/oauth4webapi/', '^libs/chat/video-calls/'),
    onlyIn('emoji-data-only-in-emoji', 'node_modules/emojibase-data/', '^libs/chat/emoji-names/'),
    onlyIn(
      'password-and-email-lists-only-in-users',
      'node_modules/(@zxcvbn-ts|disposable-email-domains-js)/',
      '^libs/directory/users/',
    ),
    onlyIn(
      'telemetry-clients-only-in-telemetry',
      'node_modules/(prom-client|@opentelemetry|bullmq-otel)/',
      '^libs/platform/telemetry/',
    ),
    {
      name: 'rules-are-pure',
      comment: 'Files named *.rules.ts know neither Nest nor a client.',
      severity: 'error',
      from: { path: '^(libs/[^/]+/[^/]+|apps/[^/]+)/.*\\.rules\\.ts$' },
      to: {
        path: 'node_modules/(@nestjs|bullmq|ioredis|pg|@prisma|fastify|firebase-admin|@parse)/|^libs/platform/(redis|queue|database)/',
        pathNot: '^$1/',
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
      // A browser loads a service worker by its address.
      from: {
        orphan: true,
        pathNot: ['\\.d\\.ts$', '\\.mjs$', '-?spec\\.ts$', '/main\\.ts$', '/push-worker\\.js$'],
      },
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
