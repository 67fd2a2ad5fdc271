import { type Import, importsOf, type Source, withoutComments } from './sources.ts';

const LEAVES = ['src/jobs/', 'src/operations/'];
const OUTWARD = [...LEAVES, 'src/agent/', 'src/store/', 'src/slack/'];
const STARTING = [...OUTWARD, 'src/config', 'src/app/start-error.ts'];

/** The rooms that each room may know besides itself. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'src/jobs/': [],
  'src/operations/': [],
  'src/config': [],
  'src/app/start-error.ts': [],
  'src/agent/': LEAVES,
  'src/store/': LEAVES,
  'src/slack/': [...LEAVES, 'src/store/'],
  'src/work/': OUTWARD,
  'src/service': [...STARTING, 'src/work/'],
  'src/demo/': [...LEAVES, 'src/config', 'src/app/start-error.ts', 'src/slack/protocol/scopes.ts'],
  'src/doctor/': STARTING,
  'src/commands/': [...STARTING, 'src/doctor/', 'src/service', 'src/demo/'],
  'src/cli/cli.ts': ['src/commands/', 'src/app/operations/version.ts'],
};

/** Packages that belong to one room; others may only take types from them. */
const OWNERS: Readonly<Record<string, string>> = {
  kysely: 'src/store/',
  pg: 'src/store/',
  'node:sqlite': 'src/store/',
  '@slack/bolt': 'src/slack/',
  '@slack/web-api': 'src/slack/',
  'p-retry': 'src/agent/',
  pino: 'src/operations/',
  'pino-pretty': 'src/operations/',
  'prom-client': 'src/operations/',
};

/** Rooms without I/O, and the only packages that they and all that they import may use. */
const PURE = ['src/jobs/', 'src/slack/views/'];
const PURE_PACKAGES = ['zod', '@slack/types'];
const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bset(Timeout|Interval)\(|\bfetch\(|\brandomUUID(v7)?\b/;

/** What breaks the rules of the house, one line each: `src/jobs/job.ts may not import src/slack/inbound/app.ts`. */
export function brokenRules(sources: readonly Source[]): string[] {
  return [
    ...sources.flatMap(forbiddenImports),
    ...sources.flatMap(processUses),
    ...pureSources(sources).flatMap(impurities),
  ];
}

function forbiddenImports(source: Source): string[] {
  const room = Object.keys(KNOWN).find((name) => source.path.startsWith(name));
  if (room === undefined) {
    return [`${source.path} is in no room`];
  }
  const mayImport = ({ target, typeOnly }: Import) =>
    target.startsWith('src/')
      ? [room, ...(KNOWN[room] ?? [])].some((known) => target.startsWith(known))
      : typeOnly || (OWNERS[target] ?? room) === room;
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
  const pure = new Set(sources.filter(({ path }) => PURE.some((room) => path.startsWith(room))));
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
