import { type Import, importsOf, type Source, withoutComments } from './sources.ts';

const SLACK_LEAVES = ['src/jobs/', 'src/slack/protocol/'];
const BELOW_ROOMS = ['src/jobs/', 'src/runtime/', 'src/store/', 'src/engine/'];
const BELOW_SLACK = [
  ...BELOW_ROOMS,
  'src/slack/protocol/',
  'src/slack/messages/',
  'src/slack/views/',
  'src/slack/workspace/',
];

const CORE = [...BELOW_ROOMS, 'src/agent/', 'src/codehost/', 'src/slack/'];
/** Each feature is a room; all know the plug, and nobody below `app` knows a feature. */
const FEATURES = 'src/features/';
const FEATURE = /^src\/features\/[^/]+\//;
const PLUG = 'src/features/feature.ts';
/** What the checks of features and doctor find. */
const FINDING = 'src/doctor/finding.ts';

/** The rooms that each room may know besides itself. The first that fits counts. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'src/jobs/': [],
  'src/runtime/': ['src/jobs/'],
  'src/store/': ['src/jobs/'],
  'src/engine/': ['src/jobs/', 'src/runtime/', 'src/store/'],
  'src/agent/': BELOW_ROOMS,
  'src/codehost/': BELOW_ROOMS,
  [FINDING]: ['src/runtime/'],
  'src/doctor/': [...CORE, FEATURES, 'src/app/'],
  'src/slack/protocol/': ['src/jobs/'],
  'src/slack/messages/': SLACK_LEAVES,
  'src/slack/views/': [...SLACK_LEAVES, 'src/slack/messages/'],
  'src/slack/workspace/': BELOW_SLACK,
  'src/slack/inbound/': BELOW_SLACK,
  'src/slack/outbound/': BELOW_SLACK,
  'src/slack/install/': BELOW_SLACK,
  'src/slack/manifest.ts': ['src/slack/protocol/', 'src/slack/views/'],
  [FEATURES]: CORE.filter((room) => room !== 'src/slack/').concat(
    BELOW_SLACK,
    'src/slack/inbound/',
    'src/slack/outbound/',
    FINDING,
  ),
  'src/app/': [...CORE, FEATURES],
  'src/runner/': ['src/store/engines/', 'src/runtime/', 'src/codehost/'],
  'src/cli/': [...CORE, 'src/doctor/', FEATURES, 'src/app/', 'src/runner/'],
};

/** Packages that belong to some rooms; others may only take types from them. */
const OWNERS: Readonly<Record<string, string | readonly string[]>> = {
  '@agentclientprotocol/sdk': 'src/runner/',
  execa: 'src/runner/',
  kysely: ['src/store/', 'src/runner/'],
  pg: 'src/store/',
  'node:sqlite': 'src/store/',
  '@slack/bolt': 'src/slack/',
  '@slack/web-api': 'src/slack/',
  'p-retry': 'src/agent/',
  '@octokit/auth-app': 'src/codehost/',
  croner: 'src/jobs/',
  pino: 'src/app/',
  'prom-client': 'src/app/',
};

/** The queries that only one feature needs. */
const QUERIES = /^src\/features\/[^/]+\/queries\.ts$/;

/** Rooms without I/O, and the only packages that they and all that they import may use. */
const PURE = ['src/jobs/', 'src/slack/protocol/', 'src/slack/messages/', 'src/slack/views/'];
const PURE_OF_FEATURE = /^src\/features\/[^/]+\/(view|views|decide)\.ts$/;
const PURE_PACKAGES = ['zod', '@slack/types', 'croner'];
const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bset(Timeout|Interval)\(|\bfetch\(|\brandomUUID(v7)?\b/;

/** What breaks the rules of the house, one line each: `src/jobs/job.ts may not import src/slack/inbound/app.ts`. */
export function brokenRules(sources: readonly Source[]): string[] {
  return [
    ...sources.flatMap(forbiddenImports),
    ...sources.flatMap(processUses),
    ...pureSources(sources).flatMap(impurities),
    ...circles(sources),
  ];
}

/** Circles of imports, those of types included: each as the path from its first file back to it. */
function circles(sources: readonly Source[]): string[] {
  const imports = new Map(
    sources.map((source) => [source.path, importsOf(source).map(({ target }) => target)]),
  );
  const found: string[] = [];
  const done = new Set<string>();
  const follow = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) {
      found.push(`${[...way.slice(way.indexOf(path)), path].join(' → ')} is a circle`);
      return;
    }
    if (done.has(path)) return;
    for (const target of imports.get(path) ?? []) follow(target, [...way, path]);
    done.add(path);
  };
  for (const { path } of sources) follow(path, []);
  return found;
}

function forbiddenImports(source: Source): string[] {
  const room = Object.keys(KNOWN).find((name) => source.path.startsWith(name));
  if (room === undefined) {
    return [`${source.path} is in no room`];
  }
  const own = room === FEATURES ? [PLUG, ...(FEATURE.exec(source.path) ?? [])] : [room];
  const mayImport = ({ target, typeOnly }: Import) =>
    target.startsWith('src/')
      ? [...own, ...(KNOWN[room] ?? [])].some((known) => target.startsWith(known))
      : typeOnly ||
        (target === 'kysely' && QUERIES.test(source.path)) ||
        [OWNERS[target] ?? room].flat().some((owner) => source.path.startsWith(owner));
  return importsOf(source)
    .filter((imported) => !mayImport(imported))
    .map(({ target }) => `${source.path} may not import ${target}`);
}

function processUses({ path, text }: Source): string[] {
  const used = /\bprocess\.(env|exit)\b|['"](node:)?process['"]/.test(withoutComments(text));
  return used && path !== 'src/cli/cli.ts' ? [`${path} may not use process.env or process.exit`] : [];
}

function impurities(source: Source): string[] {
  const imported = importsOf(source)
    .map(({ target }) => target)
    .filter((target) => !target.startsWith('src/') && !PURE_PACKAGES.includes(target))
    .map((target) => `${source.path} must be pure, but imports ${target}`);
  return IMPURE.test(withoutComments(source.text))
    ? [...imported, `${source.path} must be pure, but takes time, chance or the network`]
    : imported;
}

/** The sources of the pure rooms, and all that their code (not only their types) imports. */
function pureSources(sources: readonly Source[]): Source[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const isPure = (path: string) => PURE_OF_FEATURE.test(path) || PURE.some((room) => path.startsWith(room));
  const pure = new Set(sources.filter(({ path }) => isPure(path)));
  for (const source of pure) {
    for (const { target, typeOnly } of importsOf(source)) {
      const imported = byPath.get(target);
      if (imported && !typeOnly) {
        pure.add(imported);
      }
    }
  }
  return [...pure];
}
