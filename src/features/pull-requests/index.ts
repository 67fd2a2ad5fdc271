import { emailScopes } from '#slack/protocol/scopes.ts';
import type { Feature } from '../feature.ts';
import { createCodeHosts } from './code-hosts.ts';
import { pullRequestDecisions } from './decide.ts';
import { codeHostFindings } from './doctor.ts';
import { checkPullRequest, watchLinks } from './follow.ts';
import { peopleBy, peopleIn, peopleSettings } from './people.ts';
import { reviewListeners } from './reviews.ts';
import { codeHostReport, pullRequestButtons, pullRequestViews } from './views.ts';

export const pullRequests = {
  settings: peopleSettings,
  scopes: (given, codeHosts) => (codeHosts.length > 0 && peopleIn(given) === undefined ? emailScopes : []),
  decisions: pullRequestDecisions,
  afterWrite: watchLinks,
  views: pullRequestViews,
  buttons: pullRequestButtons,
  run: (tools) => {
    const codeHosts = createCodeHosts(tools.codeHosts, tools);
    const checkTools = { ...tools, codeHosts, people: peopleBy(tools, codeHosts) };
    return {
      tasks: { look: { look_at_pull_request: (task) => checkPullRequest(checkTools, task) } },
      listeners: reviewListeners(codeHosts),
      services: () => codeHosts.facts().map(codeHostReport),
      close: codeHosts.close,
    };
  },
  check: codeHostFindings,
} satisfies Feature;
