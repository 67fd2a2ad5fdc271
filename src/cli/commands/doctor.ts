import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseConfig } from '#app/config/config.ts';
import { ConfigError, type Environment } from '#app/config/values.ts';
import { examine, secretsOf } from '#doctor/examine.ts';
import { type Finding, findingsOf, jsonReport, shown, textReport, worstOf } from '#doctor/finding.ts';
import { systemClock } from '#runtime/clock.ts';
import { SILENT } from '#runtime/redact.ts';
import type { Host } from '../command.ts';
import { ownRunnerOf, startOwnRunner } from '../own-runner.ts';

const TIMEOUT_MS = 10_000;

/** As for monitoring plugins. */
const EXIT_CODES = { ok: 0, warning: 1, error: 2 };
const EXIT_UNKNOWN = 3;

export async function doctor(args: string[], { env }: Host): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean', default: false },
      'probe-write': { type: 'boolean', default: false },
    },
  });
  try {
    const findings = [
      findingsOf('node').ok(process.versions.node),
      ...(await findingsIn(env, values['probe-write'])),
    ];
    console.log(values.json ? jsonReport(findings) : textReport(findings));
    return EXIT_CODES[worstOf(findings)];
  } catch (error) {
    console.error('doctor itself has failed; please report this:', error);
    return EXIT_UNKNOWN;
  }
}

async function findingsIn(env: Environment, probeWrite: boolean) {
  await using resources = new AsyncDisposableStack();
  try {
    const own = await ownRunnerOf(env);
    const config = parseConfig(own?.botEnv ?? env);
    const ofRunner = own === null ? [] : await startRunner(own.runnerEnv, resources);
    const findings = await examine(config, { clock: systemClock, timeoutMs: TIMEOUT_MS, probeWrite });
    return shown([...ofRunner, ...findings], secretsOf(config));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return shown(settingsInDisorder(error), []);
  }
}

/** In its own folder, since another runner may be running. */
async function startRunner(runnerEnv: Environment, resources: AsyncDisposableStack) {
  const folder = await mkdtemp(join(tmpdir(), 'docs-agent-doctor-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const runner = await startOwnRunner({ ...runnerEnv, RUNNER_DATA_DIR: folder }, { write: () => {} }, SILENT);
  if ('exitCode' in runner) {
    const found = `does not start (exit code ${runner.exitCode})`;
    return [findingsOf('runner').error(found, 'Its error above says why.')];
  }
  resources.defer(() => runner.stop());
  return [];
}

export function settingsInDisorder({ problems }: ConfigError): Finding[] {
  return problems.map(({ variable, message, example }) =>
    findingsOf('settings', variable).error(message, `Example: ${example}`),
  );
}
