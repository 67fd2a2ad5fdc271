import { z } from 'zod';
import type { Clock } from '../../../src/runtime/clock.ts';
import { ApiError } from './api-error.ts';
import { newId } from './ids.ts';
import { argument, type Method, method } from './method.ts';

const TOKEN_LIFE_MS = 15 * 60_000;

/** How a step of a workflow ended. */
export type StepEnd = { readonly outputs: Readonly<Record<string, unknown>> } | { readonly error: string };

interface Step {
  readonly token: string;
  readonly startedAtMs: number;
  end: StepEnd | null;
}

/** The steps of workflows that the app carries out. */
export class Steps {
  readonly #clock: Clock;
  readonly #steps = new Map<string, Step>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): { readonly executionId: string; readonly token: string } {
    const executionId = newId('Fx');
    const token = `xwfp-${executionId}`;
    this.#steps.set(executionId, { token, startedAtMs: this.#clock.now(), end: null });
    return { executionId, token };
  }

  end(executionId: string): StepEnd | null {
    return this.#steps.get(executionId)?.end ?? null;
  }

  complete(executionId: string, end: StepEnd): void {
    const step = this.#steps.get(executionId);
    if (step === undefined) throw new ApiError('function_execution_not_found');
    if (step.end !== null) throw new ApiError('execution_not_in_running_state');
    step.end = end;
  }

  /** A token that came with a step: null if it is none, else whether it is still good. */
  holds(token: string): boolean | null {
    const step = [...this.#steps.values()].find((one) => one.token === token);
    if (step === undefined) return null;
    return step.end === null && this.#clock.now() < step.startedAtMs + TOKEN_LIFE_MS;
  }
}

const outputs = z.strictObject({
  thread: z.string(),
  state: z.enum(['started', 'draft', 'pull_request', 'done']),
  pull_request: z.string().optional(),
});
const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue('no JSON');
    return z.NEVER;
  }
});

const success = method(
  z.strictObject({ function_execution_id: argument.text, outputs: z.union([json, z.looseObject({})]) }),
  ({ steps }, { function_execution_id: id, outputs: given }) => {
    const parsed = outputs.safeParse(given);
    if (!parsed.success) throw new ApiError('parameter_validation_failed');
    steps.complete(id, { outputs: parsed.data });
    return {};
  },
);

const failure = method(
  z.strictObject({ function_execution_id: argument.text, error: argument.text }),
  ({ steps }, { function_execution_id: id, error }) => {
    steps.complete(id, { error });
    return {};
  },
);

export const stepMethods: Readonly<Record<string, Method>> = {
  'functions.completeSuccess': success,
  'functions.completeError': failure,
};
