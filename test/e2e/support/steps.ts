import { present } from '../../support/is.ts';
import { general } from '../../support/local-slack.ts';
import type { ProgramOptions } from '../../support/strict-slack/program.ts';
import type { StepEnd } from '../../support/strict-slack/steps.ts';
import { startStrictWorld } from './strict-world.ts';

export const PR = 'https://github.com/acme/docs/pull/14';
export const SUCCESS = 'functions.completeSuccess';
export const ERROR = 'functions.completeError';
/** What the author of a workflow fills in. */
const ASKS = { request: 'Document release 2.1', channel: general };
export const ALLOWED = `workflows: { channels: [${general}] }`;

/** The program, with workflows allowed in `general`, and what steps do there. */
export async function startWithWorkflows(options: ProgramOptions = {}) {
  const world = await startStrictWorld({ configFile: ALLOWED, ...options });
  const { control } = world.slack;
  /** How the step ends. */
  const ended = async (executionId: string): Promise<StepEnd> => {
    const end = await world.later(() => control.stepEnd(executionId), present, 'the step to end');
    if (end === null) throw new Error('the step has not ended');
    return end;
  };
  return Object.assign(world, {
    ended,
    run: (inputs: object = {}) => control.runStep({ ...ASKS, ...inputs }),
    /** Runs a step, and returns how it ends. */
    endOf: async (inputs: object = {}) => ended(await control.runStep({ ...ASKS, ...inputs })),
    /** The cards of `ASKS`. */
    cards: async () =>
      (await control.messages(general)).filter(({ text }) => text.includes('Document release 2.1')),
    /** The log's events of this name. */
    events: (name: string) =>
      world.log.filter((line) => line.includes(`"event":"${name}"`)).map((line) => JSON.parse(line)),
    /** By which token the calls were made. */
    tokens: (method = SUCCESS) => world.slack.calls(method).map(({ token }) => token?.slice(0, 5)),
  });
}
