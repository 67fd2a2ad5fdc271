import { INSTALL_PATH } from '../protocol/ids.ts';
import { howToGrant, type Scope } from '../protocol/scopes.ts';

/** @param teamId null: a whole organisation. @param isSetUp in the configuration file */
export function installedPage(teamId: string | null, isSetUp: boolean): string {
  const next =
    teamId === null
      ? `<p>Add the app to the workspaces of your organisation that should use it. Each must be in the configuration file of docs-agent.</p>`
      : isSetUp
        ? `<p>Invite the bot into a channel, and type <code>/docs-agent help</code> there.</p>`
        : `<p>One step is left: an operator of docs-agent must add the workspace <code>${escaped(teamId)}</code> to its configuration file, with the projects that belong to it.</p>`;
  return page('docs-agent is installed', `${next}\n<p>You can close this page.</p>`);
}

const failures = {
  cancelled: "You didn't agree, so nothing was installed.",
  stale: 'The installation was started on a Slack page, in another browser, or more than ten minutes ago.',
  other: 'Something went wrong. The log of docs-agent has the details.',
};

export type FailedWhy = keyof typeof failures;

export function installFailedPage(why: FailedWhy): string {
  return notInstalledPage(`<p>${failures[why]}</p>`);
}

export function scopesMissingPage(missing: readonly Scope[]): string {
  const items = missing.map(
    ({ name, without }) => `<li><code>${escaped(name)}</code>: ${escaped(without)}</li>`,
  );
  return notInstalledPage(
    `<p>Slack didn't grant all permissions. Without these, docs-agent can't work:</p>
<ul>
${items.join('\n')}
</ul>
<p>${escaped(howToGrant(missing))}</p>`,
  );
}

function notInstalledPage(reason: string) {
  return page('docs-agent was not installed', `${reason}\n<p><a href="${INSTALL_PATH}">Start over</a></p>`);
}

function page(title: string, body: string) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1rem; }</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`;
}

function escaped(text: string) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
