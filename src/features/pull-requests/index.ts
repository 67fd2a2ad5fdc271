import type { Feature } from '../feature.ts';
import { createCodeHosts } from './code-hosts.ts';
import { pullRequestDecisions } from './decide.ts';
import { codeHostFindings } from './doctor.ts';
import { checkPullRequest, watchLinks } from './follow.ts';
import { codeHostReport, pullRequestButtons, pullRequestViews } from './views.ts';

export const pullRequests = {
  decisions: pullRequestDecisions,
  afterWrite: watchLinks,
  views: pullRequestViews,
  buttons: pullRequestButtons,
  run: (tools) => {
    const codeHosts = createCodeHosts(tools.codeHosts, tools);
    return {
      tasks: { look: { look_at_pull_request: (task) => checkPullRequest({ ...tools, codeHosts }, task) } },
      services: () => codeHosts.facts().map(codeHostReport),
      close: codeHosts.close,
    };
  },
  check: codeHostFindings,
} satisfies Feature;
