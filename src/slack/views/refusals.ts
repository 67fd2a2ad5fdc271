import type { AccessRefusal } from '../../jobs/policy.ts';
import type { PromptVerdict } from '../../jobs/requests/command.ts';
import type { UnknownProject } from '../../jobs/requests/project.ts';
import { buttons } from './parts/buttons.ts';
import {
  type Blocks,
  buttonRow,
  linkButton,
  message,
  paragraph,
  type SlackMessage,
  say,
} from './parts/message.ts';
import { type Mrkdwn, mrkdwn } from './parts/mrkdwn.ts';
import { oneLine, typedLine } from './parts/untrusted.ts';

export const invite = '/invite @docs-agent';

const WORD_MAX = 50;
const NAMES_MAX = 1000;
const ID_MAX = 32;
const NAME_MAX = 80;
const numbers = new Intl.NumberFormat('en-US');

/** In characters. */
type Lengths = Omit<Extract<PromptVerdict, { kind: 'too_long' }>, 'kind'>;

export type Refusal =
  | Exclude<PromptVerdict, { kind: 'ok' }>
  | (Lengths & { readonly kind: 'too_long_together'; readonly mayUntick: boolean })
  | UnknownProject
  /** The text names another project than the menu. */
  | { readonly kind: 'two_projects'; readonly named: string; readonly chosen: string }
  | { readonly kind: 'thread_taken' };

/** @param way leads to where it can be corrected */
export function refusalView(refusal: Refusal, way?: Blocks): SlackMessage {
  return message(paragraph(explained(refusal)), way);
}

export function refusalAtField(refusal: Refusal): SlackMessage {
  return refusal.kind === 'empty' ? say`Write what should change.` : refusalView(refusal);
}

function explained(refusal: Refusal): Mrkdwn {
  switch (refusal.kind) {
    case 'empty':
      return mrkdwn`✏️ What should change? \`/docs-agent explain the rate limits\`, or \`/docs-agent\` alone for a form.`;
    case 'too_long':
      return mrkdwn`✂️ That's ${lengths(refusal)}. Shorten it, or put the details in a text snippet and attach it.`;
    case 'too_long_together': {
      const advice = refusal.mayUntick ? 'Untick some' : 'Shorten it';
      return mrkdwn`✂️ With the included messages, that's ${lengths(refusal)}. ${advice}.`;
    }
    case 'unknown_project': {
      const names = refusal.projects.map(({ name }) => name).join(', ');
      return mrkdwn`There's no project “${nameOf(refusal.name)}”. Available: ${oneLine(names, NAMES_MAX)}.`;
    }
    case 'two_projects':
      return mrkdwn`Which project? The request begins with project=${nameOf(refusal.named)}, but ${nameOf(refusal.chosen)} is chosen here. Choose the same one, or take it out of the request.`;
    case 'thread_taken':
      return mrkdwn`🧵 There's already a job in this thread. Mention me to reach the agent.`;
  }
}

export function lengths({ length, maxLength }: Lengths): string {
  return `${numbers.format(length)} characters; the limit is ${numbers.format(maxLength)}`;
}

function nameOf(untrusted: string): string {
  return typedLine(untrusted, WORD_MAX);
}

/** `threadUrl`: null if the watching job has no card yet. */
export function watchedAlreadyView(threadUrl: string | null): SlackMessage {
  return message(
    paragraph(mrkdwn`👀 I'm already watching this job. Continue in its thread.`),
    buttonRow(linkButton(buttons.openThread, threadUrl)),
  );
}

/** The word after `watch` is too long for an id. */
export const noJobIdView = say`🔍 That isn't a job id. \`/docs-agent watch\` takes the agent\'s id for the job.`;

export function noSuchAgentJobView(id: string, projectName: string): SlackMessage {
  return say`🔍 The agent has no job “${nameOf(id)}” in the ${nameOf(projectName)} project. Check the id; for another project, type \`/docs-agent project=name watch job_123\`.`;
}

export const watchedUnseenView = say`⏳ The agent didn't answer in time, so I couldn't check that id. The thread will say if there's no such job.`;

export const noChannelView = say`Choose a channel.`;

export const storingUnclearView = say`❓ I can't tell whether that was saved. If nothing appears within a minute, please try again.`;

export const notReadView = say`⚠️ I can't show that right now. Please try again in a minute.`;

export const notStoredView = say`⚠️ I couldn't save that. Please try again in a minute.`;

export const whyNot: Readonly<Record<AccessRefusal, string>> = {
  nobody: "bots and deactivated accounts aren't allowed",
  unknown_person: "Slack doesn't tell me who you are",
  other_workspace: 'only members of this workspace',
  guest: "guests aren't allowed",
  person: 'only certain people',
  channel: 'only certain channels',
  shared_channel: 'this channel is shared with another organisation',
  unread_channel: "I can't tell whether this channel is shared with another organisation",
};

export function whyNotAllowed(refusal: AccessRefusal): Mrkdwn {
  return mrkdwn`🔒 You can't use docs-agent here: ${whyNot[refusal]}. Ask an administrator for access.`;
}

export function notAllowedView(refusal: AccessRefusal): SlackMessage {
  return say`${whyNotAllowed(refusal)}`;
}

const adminDeeds = {
  settings: 'change settings here',
  see: 'see this',
  resume: 'resume a recipe',
} as const;

export type AdminDeed = keyof typeof adminDeeds;

/**
 * @param admins the names of some administrators; empty: the settings name none, and the person is no admin
 * of the workspace
 */
export function adminsOnlyView(deed: AdminDeed, userId: string, admins: readonly string[]): SlackMessage {
  if (admins.length === 0) {
    return say`🔒 docs-agent has no administrators yet. Its operator can set \`ADMINS=${oneLine(userId, ID_MAX)}\` (that's you).`;
  }
  const names = admins.map((name) => `@${oneLine(name, NAME_MAX)}`);
  const asked = new Intl.ListFormat('en-US', { type: 'disjunction' }).format(names);
  return say`🔒 Only administrators can ${adminDeeds[deed]}. Ask ${asked}.`;
}

/** Slack could not say who the person is. @param needsAdmin and will not until the app's set-up changes */
export function notCheckedView(needsAdmin = false): SlackMessage {
  return needsAdmin
    ? say`⚠️ I couldn't check whether you may do this: Slack doesn't let me ask. An administrator must reinstall the app with all the permissions in its manifest.`
    : say`⚠️ I couldn't check whether you may do this: Slack didn't answer. Please try again in a minute.`;
}

/** The app is installed, but the operator has not bound the workspace to projects. */
export function notSetUpView(teamId: string): SlackMessage {
  return say`🧭 *docs-agent isn't set up for this workspace yet.* An operator of docs-agent must add the workspace ${teamId} to its configuration file, with the projects that belong to it.`;
}

/** The app was removed, or is here through a conversation shared with another workspace. */
export const notInstalledView = say`🧭 *docs-agent isn't installed in this workspace.* An administrator can install it.`;
