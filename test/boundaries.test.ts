import { describe, expect, test } from 'vitest';
import { brokenRules } from './support/import-rules.ts';
import { readSources } from './support/sources.ts';

/** A file carries one idea; what is longer than this carries two. */
const MAX_LINES = 450;

test('the sources keep to the rooms of the house', () => {
  const sources = readSources('src');
  expect(sources.length).toBeGreaterThan(10);
  expect(brokenRules(sources)).toEqual([]);
});

test(`no source, test or bench has more than ${MAX_LINES} lines`, () => {
  const long = ['src', 'test', 'bench']
    .flatMap(readSources)
    .filter(({ text }) => text.split('\n').length > MAX_LINES + 1);
  expect(long.map(({ path }) => path)).toEqual([]);
});

/**
 * In thousands of characters, as far as each room has come. A change that adds is expected to remove, too; raising a
 * budget is a commit of its own that says why.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  jobs: 227,
  store: 198,
  runtime: 19,
  engine: 35,
  agent: 52,
  codehost: 13,
  doctor: 36,
  runner: 80,
  'slack/inbound': 161,
  'slack/install': 20,
  'slack/messages': 41,
  'slack/outbound': 66,
  'slack/protocol': 20,
  'slack/views': 125,
  'slack/workspace': 59,
  'features/agent-sessions': 6,
  'features/recipes': 33,
  'features/reports': 26,
  'features/workflow-step': 16,
  'features/pull-requests': 85,
  app: 100,
  cli: 33,
};
/** Without the runner, which is a program of its own. */
const MAX_FILES = 199;

test('no room outgrows its budget', () => {
  const sources = readSources('src');
  const thousands = (room: string) =>
    sources
      .filter(({ path }) => path.startsWith(`src/${room}/`))
      .reduce((total, { text }) => total + text.length / 1_000, 0);
  const over = Object.entries(BUDGETS).filter(([room, budget]) => thousands(room) > budget);
  expect(over.map(([room]) => `${room}: ${Math.ceil(thousands(room))}`)).toEqual([]);
  const ofBot = sources.filter(({ path }) => !path.startsWith('src/runner/'));
  expect(ofBot.length).toBeLessThanOrEqual(MAX_FILES);
});

describe('the rules notice', () => {
  test.each([
    ['the domain knowing Slack', 'src/jobs/job.ts', "import { post } from '../slack/workspace/poster.ts';"],
    [
      'the domain knowing a type of the store',
      'src/jobs/job.ts',
      "import type { Store } from '../store/store.ts';",
    ],
    ['the domain using a package', 'src/jobs/job.ts', "import { request } from 'undici';"],
    ['the domain reading the clock', 'src/jobs/job.ts', 'const now = Date.now();'],
    ['the domain making ids', 'src/jobs/job.ts', 'const id = crypto.randomUUIDv7();'],
    [
      'a view knowing the engine',
      'src/slack/views/help.ts',
      "export {\n  run,\n} from '../../engine/loop.ts';",
    ],
    ['the store knowing the agent', 'src/store/sql.ts', "import '../agent/client.ts';"],
    [
      'the engine knowing the service',
      'src/engine/loop.ts',
      "const service = await import('../app/service.ts');",
    ],
    ['the engine talking to the database', 'src/engine/loop.ts', "import { sql } from 'kysely';"],
    ['a view doing I/O', 'src/slack/views/thread/card.ts', "import { readFileSync } from 'node:fs';"],
    [
      'the inbound room knowing the outbound one',
      'src/slack/inbound/app.ts',
      "import { look } from '../outbound/posts/look-for-post.ts';",
    ],
    [
      'anything but the app knowing the installations',
      'src/slack/inbound/app.ts',
      "import '../install/vault.ts';",
    ],
    [
      'the engine knowing Slack',
      'src/engine/loop.ts',
      "import type { Post } from '../slack/outbound/post.ts';",
    ],
    [
      'the core knowing a feature',
      'src/slack/inbound/events.ts',
      "import { reports } from '../../features/reports/index.ts';",
    ],
    [
      'the core knowing the plug',
      'src/engine/loop.ts',
      "import type { Feature } from '../features/feature.ts';",
    ],
    [
      'a feature knowing another',
      'src/features/recipes/index.ts',
      "import { reportView } from '../reports/view.ts';",
    ],
    ['a feature knowing the app', 'src/features/reports/count.ts', "import '../../app/service.ts';"],
    ['a feature talking to the database', 'src/features/reports/count.ts', "import { sql } from 'kysely';"],
    ["a feature's view doing I/O", 'src/features/reports/view.ts', 'const now = Date.now();'],
    ['a file outside all rooms', 'src/helpers/misc.ts', ''],
    [
      'the environment read outside the command line',
      'src/app/service.ts',
      'const level = process.env.LOG_LEVEL;',
    ],
    ['an exit outside the command line', 'src/cli/commands/start.ts', 'process.exit(1);'],
    ['an exit after a comment', 'src/cli/commands/start.ts', '// The end.\nprocess.exit(1);'],
    ['a way round that', 'src/cli/commands/start.ts', "import { env } from 'node:process';"],
  ])('%s', (_name, path, text) => {
    const broken = brokenRules([{ path, text }]);
    expect(broken.length).toBeGreaterThan(0);
    expect(broken.every((rule) => rule.startsWith(path))).toBe(true);
  });

  test('a view doing I/O through a helper', () => {
    const sources = [
      { path: 'src/slack/views/thread/card.ts', text: "import { name } from '../../protocol/names.ts';" },
      { path: 'src/slack/protocol/names.ts', text: "import { get } from 'node:http';" },
    ];
    expect(brokenRules(sources)).toEqual(['src/slack/protocol/names.ts must be pure, but imports node:http']);
  });

  test('a circle of imports, though it is of types only', () => {
    const sources = [
      { path: 'src/jobs/job.ts', text: "import type { Turn } from './turn.ts';" },
      { path: 'src/jobs/turn.ts', text: "import type { Call } from './call.ts';" },
      { path: 'src/jobs/call.ts', text: "import type { Turn } from './turn.ts';" },
    ];
    expect(brokenRules(sources)).toEqual([
      'src/jobs/turn.ts → src/jobs/call.ts → src/jobs/turn.ts is a circle',
    ]);
  });

  test('nothing wrong with what is allowed', () => {
    const sources = [
      {
        path: 'src/cli/cli.ts',
        text: "import { start } from './start.ts';\nprocess.exit(process.env.X);",
      },
      {
        path: 'src/engine/loop.ts',
        text: "import type { Job } from '../jobs/job.ts';\nprocess.exitCode = 1;",
      },
      {
        path: 'src/features/reports/queries.ts',
        text: "import { sql } from 'kysely';\nimport type { Feature } from '../feature.ts';\nimport { tally } from './report.ts';",
      },
      { path: 'src/slack/workspace/bolt-logger.ts', text: "import type { Logger } from '@slack/bolt';" },
      { path: 'src/jobs/job.ts', text: "// import { x } from '../slack/app.ts';\n/* Date.now() */" },
    ];
    expect(brokenRules(sources)).toEqual([]);
  });
});
