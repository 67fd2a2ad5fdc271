import { parseArgs } from 'node:util';
import { parseConfig } from '../../app/config/config.ts';
import { ConfigError } from '../../app/config/problems.ts';
import { systemClock } from '../../engine/runtime/clock.ts';
import type { Host } from '../command.ts';
import { examine, secretsOf, settingsInDisorder } from './doctor/examine.ts';
import {
  type Finding,
  findingsOf,
  jsonReport,
  type Level,
  shown,
  textReport,
  worstOf,
} from './doctor/finding.ts';

const TIMEOUT_MS = 10_000;

/** As monitoring systems expect of their plugins. */
const EXIT_CODES: Readonly<Record<Level, number>> = { ok: 0, warning: 1, error: 2 };
/** For monitoring systems: the state is unknown. */
const EXIT_UNKNOWN = 3;

/** `docs-agent doctor`: says what is wrong, and what to do about it. */
export async function doctor(args: string[], { env }: Host): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean', default: false },
      'probe-write': { type: 'boolean', default: false },
    },
  });
  let findings: readonly Finding[];
  try {
    findings = [
      findingsOf('node').ok(process.versions.node),
      ...(await lookAtAll(env, values['probe-write'])),
    ];
  } catch (error) {
    console.error('doctor itself has failed; please report this:', error);
    return EXIT_UNKNOWN;
  }
  console.log(
    values.json
      ? jsonReport(findings)
      : textReport(findings, process.stdout.isTTY && process.stdout.hasColors()),
  );
  return EXIT_CODES[worstOf(findings)];
}

async function lookAtAll(env: Host['env'], probeWrite: boolean): Promise<Finding[]> {
  try {
    const config = parseConfig(env);
    const findings = await examine(config, { clock: systemClock, timeoutMs: TIMEOUT_MS, probeWrite });
    return shown(findings, secretsOf(config));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return shown(settingsInDisorder(error), []);
  }
}
