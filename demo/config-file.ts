import { demoWorkspace } from './local-slack/workspace.ts';

const [docs] = demoWorkspace.channels;
const [alice] = demoWorkspace.users;
const RECIPE_AFTER_MS = 2 * 60_000;
const DIGEST_AFTER_MS = 4 * 60_000;

/** The projects of the demo's agent, the first for all that names none. */
export const demoProjects = { docs: 'acme-docs', handbook: 'acme-handbook' } as const;

/** What the demo's file of DOCS_AGENT_CONFIG says, and what its reader has to know of it. */
export interface DemoConfig {
  readonly yaml: string;
  /** When the recipe starts by itself, and when the digest comes. */
  readonly recipeAtMs: number;
  readonly digestAtMs: number;
}

/** The secret of the demo's webhook, as text and as its setting. It is valid nowhere else. */
export const hookKey = 'docs-agent-demo-webhook-key';
export const hookSecret = {
  name: 'DEMO_HOOK_SECRET',
  value: `whsec_${Buffer.from(hookKey).toString('base64')}`,
};

/** Each way to start a job is set up, and what comes by the clock comes within minutes. */
export function demoConfig(nowMs: number): DemoConfig {
  const [recipeAtMs, digestAtMs] = [nowMs + RECIPE_AFTER_MS, nowMs + DIGEST_AFTER_MS];
  const yaml = `
projects:
  - { id: ${demoProjects.docs}, name: docs }
  - { id: ${demoProjects.handbook}, name: handbook }
admins: [${alice.id}]
channels:
  ${docs.id}: { reaction: memo }
recipes:
  - name: weekly-review
    channel: ${docs.id}
    request: "Check the screenshots of {page}"
    values: { page: quickstart }
    schedule: "${everyDayAt(recipeAtMs)}"
  - name: release-notes
    channel: ${docs.id}
    request: "Document release {version}"
    webhook: { secret_env: ${hookSecret.name} }
    draft: true
digest: { channel: ${demoWorkspace.noticeChannel}, schedule: "${everyDayAt(digestAtMs)}" }
`;
  return { yaml, recipeAtMs, digestAtMs };
}

/** As a schedule without a zone. */
function everyDayAt(ms: number): string {
  const at = new Date(ms);
  return `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
}
