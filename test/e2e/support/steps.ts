import { expect, onTestFinished } from 'vitest';
import { present } from '../../support/is.ts';
import { general } from '../../support/local-slack.ts';
import { type Program, type ProgramOptions, startProgram } from '../../support/strict-slack/program.ts';
import type { StepEnd } from '../../support/strict-slack/steps.ts';
import type { StrictFault } from '../../support/strict-slack/web-api.ts';

export const PR = 'https://github.com/acme/docs/pull/14';
export const SUCCESS = 'functions.completeSuccess';
export const ERROR = 'functions.completeError';
/** What the author of a workflow fills in. */
export const ASKS = { request: 'Document release 2.1', channel: general };

/** The program, with workflows allowed in `general`. */
export async function startWithWorkflows(options: ProgramOptions = {}): Promise<Program> {
  const configFile = `workflows: { channels: [${general}] }`;
  const program = await startProgram({ configFile, ...options });
  onTestFinished(() => program[Symbol.asyncDispose]());
  return program;
}

/** How the step ends. */
export async function ended({ later, slack }: Program, executionId: string): Promise<StepEnd> {
  const end = await later(() => slack.control.stepEnd(executionId), present, 'the step to end');
  if (end === null) throw new Error('the step has not ended');
  return end;
}

/** Runs a step, and returns how it ends. */
export const endOf = async (program: Program, inputs: Readonly<Record<string, unknown>>) =>
  ended(program, await program.slack.control.runStep(inputs));

/** Runs a step that is refused. What is said of that meets these faults, and Slack's first wait for an answer ends. */
export async function runIntoFault(
  { slack, clock, later }: Program,
  fault: () => StrictFault | null,
): Promise<string> {
  slack.onCall(({ method }) => (method === ERROR ? fault() : null));
  const running = slack.control.runStep(ASKS);
  await later(() => slack.calls(ERROR).length, Boolean, 'a try');
  await clock.advance(3_000);
  return running;
}

/** The cards of `ASKS`. */
export const cards = async ({ slack }: Program) =>
  (await slack.control.messages(general)).filter(({ text }) => text.includes('Document release 2.1'));

/** The log's events of this name. */
export const events = ({ log }: Program, name: string) =>
  log.filter((line) => line.includes(`"event":"${name}"`)).map((line) => JSON.parse(line));

/** The address of a thread. */
export const linkOf = (ts: string) =>
  expect.stringMatching(new RegExp(`^https://.+/archives/${general}/p${ts.replace('.', '')}`));
