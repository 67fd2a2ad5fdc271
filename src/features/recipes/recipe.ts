import { z } from 'zod';
import { TEXT_HEADING } from '#jobs/recipe.ts';
import { isBlank, noSuchProjectWords, type PromptVerdict } from '#jobs/requests/command.ts';
import { scheduleShape } from '#jobs/schedule/moments.ts';
import { channel, user } from '#slack/protocol/ids.ts';
import { sanitize } from '#slack/protocol/slack-text.ts';
import type { SettingProblem, Step } from '../feature.ts';

export type Recipe = Readonly<ReturnType<typeof recipesIn>[number]>;

/** Slack's limit for a menu. */
const RECIPES_MAX = 100;
const NAME_MAX = 40;
/** Limits of Slack's forms. */
const PLACEHOLDERS_MAX = 50;
export const VALUE_MAX = 500;

const recipe = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/, 'must be one word of lowercase letters, digits, "-" and "_"')
    .max(NAME_MAX, `must have at most ${NAME_MAX} characters`),
  project: z.string().optional(),
  channel,
  request: z.string().regex(/\S/, 'is empty'),
  values: z.record(z.string(), z.string()).default({}),
  schedule: scheduleShape.schedule.optional(),
  zone: scheduleShape.zone,
  webhook: z
    .strictObject({
      secret_env: z
        .string()
        .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable, not the secret itself'),
    })
    .optional(),
  draft: z.boolean().default(false),
  owners: z.array(user).min(1, 'must name at least one person').optional(),
});

const settings = z.object({
  recipes: z.array(recipe).max(RECIPES_MAX, `must be at most ${RECIPES_MAX}`).default([]),
  admins: z.set(z.string()).default(new Set()),
});

export const recipeSettings = { recipes: settings.shape.recipes };

export function recipesIn(given: object) {
  const { recipes, admins } = settings.parse(given);
  return recipes.map(({ project: projectName, channel: channelId, draft: isDraft, webhook, ...one }) => ({
    // No project: the channel's.
    ...{ name: one.name, projectName, channelId, isDraft, owners: one.owners ?? [...admins] },
    request: sanitize(one.request).trim(),
    values: new Map(Object.entries(one.values).map(([name, value]) => [name, sanitize(value)])),
    schedule: one.schedule === undefined ? null : { cron: one.schedule, zone: one.zone ?? 'UTC' },
    ...(webhook && { secretVariable: webhook.secret_env }),
  }));
}

export const VALUE_PROBLEMS = {
  empty: 'is empty',
  too_long: `must have at most ${VALUE_MAX} characters`,
  several_lines: 'must be one line',
};

/** @param earlier other workspaces' settings: a webhook's URL names only the recipe */
export function* recipeContradictions(
  given: object,
  projects: readonly string[],
  earlier: readonly object[],
): Generator<SettingProblem> {
  const { recipes } = settings.parse(given);
  const elsewhere = earlier.flatMap(recipesIn).filter(({ secretVariable }) => secretVariable !== undefined);
  for (const [index, { name, project, webhook, request, values, schedule, zone }] of recipes.entries()) {
    const wrong = (message: string, ...path: readonly Step[]): SettingProblem => ({
      path: ['recipes', index, ...path],
      message,
    });
    if (recipes.findIndex((one) => one.name === name) < index) {
      yield wrong('is also the name of another recipe', 'name');
    }
    if (webhook !== undefined && elsewhere.some((other) => other.name === name)) {
      yield wrong('has a webhook, but so does the recipe of this name in another workspace', 'name');
    }
    // Without projects in the file, AGENT_PROJECT_ID names the only one.
    if (project !== undefined && !projects.includes(project))
      yield wrong(noSuchProjectWords(projects), 'project');
    const names = placeholdersIn(request);
    if (/[{}]/.test(request.replace(PLACEHOLDER, ''))) {
      const advice = 'write {name}, with at most 100 letters, digits and "_"';
      yield wrong(`has a brace that is not part of a placeholder: ${advice}`, 'request');
    }
    if (names.length > PLACEHOLDERS_MAX) {
      yield wrong(`must have at most ${PLACEHOLDERS_MAX} placeholders`, 'request');
    }
    for (const [name, value] of Object.entries(values)) {
      const problem = valueProblem(value);
      if (!names.includes(name)) {
        yield wrong('is not a placeholder in the request', 'values', name);
      } else if (problem !== null) {
        yield wrong(VALUE_PROBLEMS[problem], 'values', name);
      }
    }
    if (schedule === undefined) {
      if (zone !== undefined) yield wrong('has no effect without a schedule', 'zone');
      continue;
    }
    const missing = names.filter((name) => !Object.hasOwn(values, name)).map((name) => `{${name}}`);
    if (missing.length > 0) {
      const needed = `needs a value for ${missing.join(', ')} under values`;
      yield wrong(`${needed}: a schedule has nobody to ask`, 'schedule');
    }
  }
}

const webhooks = z
  .object({ recipes: z.array(recipe.pick({ name: true, webhook: true }).strip().nullable().catch(null)) })
  .catch({ recipes: [] });

/** @param given may be invalid */
export function webhooksIn(given: object) {
  return webhooks.parse(given).recipes.flatMap((one) => {
    const variable = one?.webhook?.secret_env;
    return variable === undefined ? [] : [{ name: one?.name, variable }];
  });
}

const PLACEHOLDER = /\{([A-Za-z][A-Za-z0-9_]{0,99})\}/g;
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
/** A value must not end its own quotation. */
const QUOTATION_MARK = /["\u00ab\u00bb\u201c-\u201f\u2039\u203a\u301d-\u301f\uff02]/g;

export function placeholdersIn(request: string): string[] {
  return [...new Set([...request.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

export type ValueProblem = keyof typeof VALUE_PROBLEMS;

/** Ignores surrounding white space: shells append a newline. */
export function valueProblem(value: string): ValueProblem | null {
  const line = value.trim();
  if (isBlank(line)) return 'empty';
  if (LINE_BREAK.test(line)) return 'several_lines';
  return line.length > VALUE_MAX && [...line].length > VALUE_MAX ? 'too_long' : null;
}

export type RecipeProblem = Readonly<
  | { kind: 'unknown' | 'missing'; names: readonly string[] }
  | { kind: 'bad_value'; name: string; problem: ValueProblem }
  | Extract<PromptVerdict, { kind: 'too_long' }>
  | { kind: 'no_project' }
>;

/** Quotes values, and keeps placeholders within them. @param text added as a quotation */
export function fillRecipe(
  { request, values: defaults }: Recipe,
  given: ReadonlyMap<string, string>,
  text = '',
): { readonly kind: 'filled'; readonly prompt: string } | RecipeProblem {
  const names = placeholdersIn(request);
  const unknown = [...given.keys()].filter((name) => !names.includes(name));
  if (unknown.length > 0) return { kind: 'unknown', names: unknown };
  const values = new Map([...defaults, ...given]);
  const missing = names.filter((name) => !values.has(name));
  if (missing.length > 0) return { kind: 'missing', names: missing };
  for (const [name, value] of values) {
    const problem = valueProblem(value);
    if (problem !== null) return { kind: 'bad_value', name, problem };
  }
  const quoted = (name: string) => `"${(values.get(name) ?? '').trim().replace(QUOTATION_MARK, "'")}"`;
  const filled = request.replace(PLACEHOLDER, (_placeholder, name: string) => quoted(name));
  if (isBlank(text)) return { kind: 'filled', prompt: filled };
  const lines = text.trim().split(LINE_BREAK);
  const quotation = lines.map((line) => `> ${line}`.trimEnd()).join('\n');
  return { kind: 'filled', prompt: `${filled}\n\n${TEXT_HEADING}\n${quotation}` };
}
