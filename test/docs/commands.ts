/* What the test of the commands of the manual knows of them. */

export const READ = [
  'README.md',
  'docs/getting-started.md',
  'docs/paging.md',
  'docs/api.md',
  'docs/conditional-requests.md',
  'docs/events.md',
  'docs/idempotency.md',
  'docs/limits.md',
  'docs/lifecycle.md',
  'docs/keys.md',
  'docs/managing-keys.md',
  'docs/webhooks.md',
  'SECURITY.md',
  'docs/configuration.md',
  'docs/operating.md',
  'docs/runbook.md',
  'docs/postgresql.md',
  'docs/extending.md',
  'CONTRIBUTING.md',
];

/** The page that a test of the packed service follows, from an empty folder. */
export const OWN_PACKAGE = 'docs/your-own-package.md';

/** Commands that start a second service, which does not receive the calls. */
export const START_BESIDE = [
  'PORT=8080 DATABASE_URL=sqlite:/var/lib/petstore/petstore.sqlite npm start',
  'set -a; . ./.env; set +a; npm start',
  'DATABASE_URL=postgres://petstore:secret@db.example.com/petstore REDIS_URL=redis://redis.example.com npm start',
  'npm run dev',
  'npm run debug',
];

/** Commands that are not run, with the reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'npm ci': 'A step of its own of .ci/run.',
  'npm ci && npm test': 'Steps of their own of .ci/run.',
  'npm run format': 'Writes what the step npm run check of .ci/run checks.',
  'npm run check': 'A step of its own of .ci/run.',
  'npm run new -- feature brands': 'Changes the project; a test of its own runs it.',
  'npm run build': 'A step of its own of .ci/run.',
  'npm test': 'A step of its own of .ci/run.',
  'kubectl apply -f docker/kubernetes/namespace.yaml': 'Needs a cluster; another test validates the manifests.',
  'kubectl apply -f secret.yaml': 'Needs a cluster.',
  'kubectl apply --kustomize petstore': 'Needs a cluster.',
  'cp docker/systemd/petstore@.service /etc/systemd/system/': 'Changes the machine; another test validates the unit.',
  'systemctl enable --now petstore@3001 petstore@3002': 'Changes the machine.',
  ...Object.fromEntries(
    [
      'pip install openapi-generator-cli',
      'openapi-generator-cli generate -i http://localhost:3000/openapi.json -g go -o go-client',
      '(cd go-client && go vet ./...)',
      'openapi-generator-cli generate -i http://localhost:3000/openapi.json -g java --library native -o java-client',
      'mvn -f java-client compile',
      'openapi-generator-cli generate -i http://localhost:3000/openapi.json -g csharp -o csharp-client',
      'dotnet build csharp-client',
    ].map((command) => [command, 'By hand: needs the compilers of other languages.']),
  ),
  'git config core.hooksPath .githooks': 'The copy is no repository; the test of the hook runs it.',
};

/** Commands that fail on an unchanged project, or beside the service, with their output. */
export const FAILS: Readonly<Record<string, RegExp>> = {
  'npm run typeorm -- migration:generate src/database/migrations/change': /No changes in database schema were found/,
  // Requests may still be in progress.
  'npm run --silent keys -- delete zoo': /Try again after/,
  'npm run --silent keys -- delete acme': /Try again after/,
  // The service of the manual runs; another test moves a database.
  'npm run --silent move -- postgres://petstore:secret@db.example.com/petstore': /already serves/,
};

/** Values for shell variables of the pages, matched in the output of commands. */
export const VARIABLES: readonly (readonly [name: string, command: RegExp, output: RegExp])[] = [
  ['KEY_ID', / create --account acme --plan free --/, /"id":"(\w+)"/],
  ['MANAGER_KEY', / create --account shop /, /(psk_live_\w+)/],
  ['SHOP_KEY_ID', /expiresInSeconds/, /"id":"(\w+)"/],
  ['HOOKS_KEY', /,webhooks:manage$/, /(psk_live_\w+)/],
  ['WEBHOOK_ID', /"url":"\S+","types"/, /"id":(\d+)/],
  ['VISITS_KEY', / create --account clinic /, /(psk_live_\w+)/],
  ['ETAG', /^curl -i .*\?ids=1'$/, /^etag: "(.+)"/im],
];

/** What the output of a command must have, until which it is repeated: the service delivers events after its response. */
export const SETTLED: readonly (readonly [command: RegExp, output: RegExp])[] = [
  [/\/deliveries"$/, /"state":"delivered"/],
];
