import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/app/operations/metrics.ts';

const folder = fileURLToPath(new URL('../../docs/operations/', import.meta.url));
const read = (name: string) => readFileSync(`${folder}${name}`, 'utf8');

/** Comes with Prometheus. */
const PROMTOOL = 'promtool';

const page = read('monitoring.md');
const dashboard = JSON.parse(read('dashboard.json')) as {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: unknown }[] };
};
const { groups } = parse(read('alerts.yml')) as {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
};
const rules = groups.flatMap(({ rules }) => rules);

/** The names and types of all metrics, as `/metrics` lists them even before anything has happened. */
async function exported(): Promise<Map<string, string>> {
  const metrics = createMetrics();
  const text = await metrics.text({
    loops: [],
    isSlackConnected: true,
    hourlyBudget: 100,
    store: null,
    dataDir: null,
  });
  return new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
}

/** The names of metrics in an expression; `_bucket` and its like belong to a histogram. */
function metricsIn(expression: string): string[] {
  const names = expression.match(/\b(docs_agent|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return names.map((name) => name.replace(/_seconds_(bucket|count|sum)$/, '_seconds'));
}

test('the dashboard and the alerts use only metrics that the program exports', async () => {
  const names = await exported();
  const expressions = [
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...dashboard.templating.list.map(({ query }) => String(query)),
    ...rules.map(({ expr }) => expr),
  ];
  const used = expressions.flatMap(metricsIn);
  expect(used.length).toBeGreaterThan(50);
  expect(used.filter((name) => !names.has(name))).toEqual([]);
});

test('the page lists every metric of our own with its type, and no other', async () => {
  const [, table = ''] = page.split('## Metrics');
  const listed = [...table.matchAll(/^\| `(\w+)` *\| (\w+)/gm)].map(([, name, type]) => `${name} ${type}`);
  const own = [...(await exported())].filter(([name]) => name.startsWith('docs_agent_'));
  expect(listed.toSorted()).toEqual(own.map(([name, type]) => `${name} ${type}`).sort());
});

test('the page says what each alert means, and its test shows when it fires', () => {
  const names = rules.map(({ alert }) => alert).sort();
  expect([...page.matchAll(/^### (DocsAgent\w+)$/gm)].map(([, name]) => name).sort()).toEqual(names);
  const { tests } = parse(read('alerts.test.yml')) as {
    readonly tests: readonly {
      readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: unknown }[];
    }[];
  };
  const shown = tests.flatMap(({ alert_rule_test: cases }) => cases.filter((one) => one.exp_alerts));
  expect(new Set(shown.map(({ alertname }) => alertname))).toEqual(new Set(names));
});

const hasPromtool = (() => {
  try {
    execFileSync(PROMTOOL, ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!hasPromtool)(
  'the alerts fire when they should, says promtool (skipped without Prometheus)',
  () => {
    const said = execFileSync(PROMTOOL, ['test', 'rules', 'alerts.test.yml'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(said).toContain('SUCCESS');
  },
);
