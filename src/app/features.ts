import type { CodeHostSettings } from '#codehost/client.ts';
import type { EventFeatures } from '#engine/apply-event.ts';
import { agentSessions } from '#features/agent-sessions/index.ts';
import type { Feature } from '#features/feature.ts';
import { pullRequests } from '#features/pull-requests/index.ts';
import { recipes } from '#features/recipes/index.ts';
import { reports } from '#features/reports/index.ts';
import { workflowStep } from '#features/workflow-step/index.ts';
import { coreDecisions, type DecisionTable } from '#jobs/decide/decide.ts';
import type { FeatureViews } from '#slack/views/announcement.ts';
import type { JobButton } from '#slack/views/buttons.ts';

/** To delete a feature, delete its folder and line, and follow the compiler. */
const list = [
  pullRequests,
  recipes,
  reports,
  workflowStep,
  agentSessions,
] as const satisfies readonly Feature[];
export const features: readonly Feature[] = list;

type Decisions = Extract<(typeof list)[number], { readonly decisions: object }>['decisions'];
type Decided<Name extends keyof DecisionTable> = Decisions extends infer Table
  ? Table extends { readonly [N in Name]: infer Rows }
    ? keyof Rows
    : never
  : never;

/** A compile error here names undecided members of `JobEvent` or `OfferSubject`. */
const core: { readonly [Name in keyof DecisionTable]: Omit<DecisionTable[Name], Decided<Name>> } =
  coreDecisions;

function rows<Name extends keyof DecisionTable>(name: Name): DecisionTable[Name] {
  return Object.assign({}, core[name], ...features.map(({ decisions }) => decisions?.[name]));
}

export const eventFeatures: EventFeatures = {
  decisions: { deciders: rows('deciders'), offers: rows('offers'), answers: rows('answers') },
  afterWrite: features.flatMap(({ afterWrite }) => afterWrite ?? []),
};

export const featureViews: FeatureViews = {
  announcements: Object.assign({}, ...features.map(({ views }) => views?.announcements)),
  outcomes: Object.assign({}, ...features.map(({ views }) => views?.outcomes)),
};

export function scopesOfFeatures(
  { codeHosts }: { readonly codeHosts: readonly CodeHostSettings[] },
  settings: readonly { readonly featureSettings: object }[],
) {
  const all = settings.flatMap(({ featureSettings: given }) =>
    features.flatMap(({ scopes }) => scopes?.(given, codeHosts) ?? []),
  );
  return [...new Set(all)];
}

export const featureButtons: readonly JobButton[] = features.flatMap(({ buttons = {} }) =>
  Object.values(buttons),
);
