/** Objects that GitHub repeats in its answers, with all that its description requires. */

export function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** `…_url` fields, which lead nowhere here. */
function urls(base: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`${name}_url`, `${base}/${name}`]));
}

export function user(apiUrl: string, login: string): object {
  const url = `${apiUrl}/users/${login}`;
  return {
    login,
    id: [...login].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1_000_000,
    node_id: `U_${login}`,
    ...{ avatar_url: `${url}/avatar`, gravatar_id: '', url, html_url: url },
    ...urls(url, ['events', 'followers', 'following', 'gists', 'organizations', 'received_events', 'repos']),
    ...urls(url, ['starred', 'subscriptions']),
    type: login.endsWith('[bot]') ? 'Bot' : 'User',
    site_admin: false,
  };
}

const URLS_OF_REPOSITORY = [
  ...[
    'archive',
    'assignees',
    'blobs',
    'branches',
    'clone',
    'collaborators',
    'comments',
    'commits',
    'compare',
  ],
  ...[
    'contents',
    'contributors',
    'deployments',
    'downloads',
    'events',
    'forks',
    'git_commits',
    'git_refs',
    'git',
  ],
  ...[
    'git_tags',
    'hooks',
    'issue_comment',
    'issue_events',
    'issues',
    'keys',
    'labels',
    'languages',
    'merges',
  ],
  ...[
    'milestones',
    'notifications',
    'pulls',
    'releases',
    'ssh',
    'stargazers',
    'statuses',
    'subscribers',
    'svn',
  ],
  ...['subscription', 'tags', 'teams', 'trees'],
];
const COUNTS = ['forks', 'open_issues', 'stargazers', 'watchers'];
const COUNTED = ['forks', 'open_issues', 'watchers', 'size'];
const FEATURES = ['downloads', 'issues', 'projects', 'wiki', 'pages'];

export function repository(apiUrl: string, fullName: string, id: number): object {
  const [owner = '', name = ''] = fullName.split('/');
  const url = `${apiUrl}/repos/${fullName}`;
  const created = timeOf(0);
  return {
    ...{ id, node_id: `R_${id}`, name, full_name: fullName, owner: user(apiUrl, owner), private: true },
    ...{ url, html_url: url, description: null, fork: false, default_branch: 'main' },
    ...urls(url, URLS_OF_REPOSITORY),
    ...Object.fromEntries(COUNTS.map((counted) => [`${counted}_count`, 0])),
    ...Object.fromEntries(COUNTED.map((counted) => [counted, 0])),
    ...Object.fromEntries(FEATURES.map((feature) => [`has_${feature}`, false])),
    ...{ homepage: null, language: null, archived: false, disabled: false, mirror_url: null, license: null },
    ...{ pushed_at: created, created_at: created, updated_at: created },
  };
}
