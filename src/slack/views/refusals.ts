import type { KnownBlock } from '@slack/types';
import type { AccessRefusal } from '../../jobs/policy.ts';
import type { PromptVerdict } from '../../jobs/requests/command.ts';
import type { UnknownProject } from '../../jobs/requests/project.ts';
import { readableText } from '../protocol/slack-text.ts';
import { buttons } from './parts/buttons.ts';
import { buttonRow, message, openThreadButton, paragraph, type SlackMessage, say } from './parts/message.ts';
import { type Mrkdwn, mrkdwn } from './parts/mrkdwn.ts';
import { oneLine } from './parts/untrusted.ts';

const invite = '/invite @docs-agent';

const refusals = {
  empty: mrkdwn`✏️ What should change? \`/docs-agent explain the rate limits\`, or \`/docs-agent\` alone for a form.`,
  /** In the form itself. */
  emptyField: mrkdwn`Write what should change.`,
  tooLong: (length: string, limit: string): Mrkdwn =>
    mrkdwn`✂️ That's ${length} characters; the limit is ${limit}. Shorten it, or put the details in a text snippet and attach it.`,
  tooLongTogether: (length: string, limit: string, mayUntick: boolean): Mrkdwn =>
    mrkdwn`✂️ With the included messages, that's ${length} characters; the limit is ${limit}. ${mayUntick ? 'Untick some' : 'Shorten it'}.`,
  unknownProject: (name: string, available: string): Mrkdwn =>
    mrkdwn`There's no project “${name}”. Available: ${available}.`,
  twoProjects: (named: string, chosen: string): Mrkdwn =>
    mrkdwn`Which project? The request begins with project=${named}, but ${chosen} is chosen here. Choose the same one, or take it out of the request.`,
  threadTaken: mrkdwn`🧵 There's already a job in this thread. Mention me to reach the agent.`,
  watchedAlready: mrkdwn`👀 I'm already watching this job. Continue in its thread.`,
  noJobId: mrkdwn`🔍 That isn't a job id. \`/docs-agent watch\` takes the agent\'s id for the job.`,
  noSuchAgentJob: (id: string, project: string): Mrkdwn =>
    mrkdwn`🔍 The agent has no job “${id}” in the ${project} project. Check the id; for another project, type \`/docs-agent project=name watch job_123\`.`,
  watchedUnseen: mrkdwn`⏳ The agent didn't answer in time, so I couldn't check that id. The thread will say if there's no such job.`,
  noChannel: mrkdwn`Choose a channel.`,
  notStored: mrkdwn`⚠️ I couldn't save that. Please try again in a minute.`,
  unclear: mrkdwn`❓ I can't tell whether that was saved. If nothing appears within a minute, please try again.`,
  notRead: mrkdwn`⚠️ I can't show that right now. Please try again in a minute.`,
} as const;

const adminsOnly = {
  deeds: { settings: 'change settings here', see: 'see this', resume: 'resume a recipe' },
  because: (deed: string, names: string): Mrkdwn => mrkdwn`🔒 Only administrators can ${deed}. Ask ${names}.`,
  /** The settings name nobody, and the person is no admin of the workspace. */
  nobodyNamed: (userId: string): Mrkdwn =>
    mrkdwn`🔒 docs-agent has no administrators yet. Its operator can set \`ADMINS=${userId}\` (that's you).`,
} as const;

export const notAllowed = {
  because: (reason: Mrkdwn): Mrkdwn =>
    mrkdwn`🔒 You can't use docs-agent here: ${reason}. Ask an administrator for access.`,
  reasons: {
    nobody: mrkdwn`bots and deactivated accounts aren't allowed`,
    unknown_person: mrkdwn`Slack doesn't tell me who you are`,
    other_workspace: mrkdwn`only members of this workspace`,
    guest: mrkdwn`guests aren't allowed`,
    person: mrkdwn`only certain people`,
    channel: mrkdwn`only certain channels`,
    shared_channel: mrkdwn`this channel is shared with another organisation`,
    unread_channel: mrkdwn`I can't tell whether this channel is shared with another organisation`,
  } satisfies Readonly<Record<AccessRefusal, Mrkdwn>>,
  notChecked: mrkdwn`⚠️ I couldn't check whether you may do this: Slack didn't answer. Please try again in a minute.`,
  needsAdmin: mrkdwn`⚠️ I couldn't check whether you may do this: Slack doesn't let me ask. An administrator must reinstall the app with all the permissions in its manifest.`,
  notSetUp: (teamId: string): Mrkdwn =>
    mrkdwn`🧭 *docs-agent isn't set up for this workspace yet.* An operator of docs-agent must add the workspace ${teamId} to its configuration file, with the projects that belong to it.`,
  notInstalled: mrkdwn`🧭 *docs-agent isn't installed in this workspace.* An administrator can install it.`,
} as const;

/** Why there is no card, and so no job, yet. */
export const unposted = {
  betweenPeople: mrkdwn`I can't join a direct message between two people. Use a channel, or write to me directly.`,
  notInChannel: mrkdwn`I'm not in this channel yet. Type \`${invite}\`, then press *${buttons.tryAgain.label}*. Your request is saved.`,
  notSeen: mrkdwn`I can't tell whether the card for your request was posted. If you find one, ignore it: *${buttons.tryAgain.label}* posts another.`,
  archived: mrkdwn`This channel is archived. Ask in another one.`,
  restricted: mrkdwn`I'm not allowed to post in this channel. Ask in another one, or ask an administrator.`,
  other: (code: string): Mrkdwn =>
    mrkdwn`Slack didn't accept my message (${code}). Ask an administrator, then press *${buttons.tryAgain.label}*. Your request is saved.`,
} as const;

/** What a request waits for. Each continues by itself. */
export const delayed = {
  notInChannel: (channel: Mrkdwn): Mrkdwn =>
    mrkdwn`I'm not in ${channel} yet. Type \`${invite}\`, and your request starts by itself.`,
  notSeen: mrkdwn`⏳ *Waiting for Slack* · I can't tell yet whether the card for your request was posted. Your request is saved and continues automatically.`,
  needsAdmin: (code: string): Mrkdwn =>
    mrkdwn`⚠️ *Waiting for an administrator* · Slack doesn't let me post (${code}). Your request is saved and continues once it's fixed.`,
  other: (code: string): Mrkdwn =>
    mrkdwn`⏳ *Waiting for Slack* · It isn't accepting my messages right now (${code}). Your request is saved and continues automatically.`,
} as const;

/** Why nothing can be posted in a channel, and how to change that. */
export const closedPlaces = {
  notInChannel: (channel: Mrkdwn): Mrkdwn => mrkdwn`I'm no longer in ${channel}. Type \`${invite}\` there.`,
  archived: (channel: Mrkdwn): Mrkdwn => mrkdwn`${channel} is archived.`,
  restricted: (channel: Mrkdwn): Mrkdwn => mrkdwn`I'm not allowed to post in ${channel}.`,
  shared: (channel: Mrkdwn): Mrkdwn => mrkdwn`${channel} is shared with another organisation.`,
} as const;

const WORD_MAX = 50;
const NAMES_MAX = 1000;
const numbers = new Intl.NumberFormat('en-US');

/** In characters. */
type Lengths = Omit<Extract<PromptVerdict, { kind: 'too_long' }>, 'kind'>;

export type Refusal =
  | Exclude<PromptVerdict, { kind: 'ok' }>
  /** With the included messages. */
  | (Lengths & { readonly kind: 'too_long_together'; readonly mayUntick: boolean })
  | UnknownProject
  /** The text names another project than the menu. */
  | { readonly kind: 'two_projects'; readonly named: string; readonly chosen: string }
  /** Its thread has a job. */
  | { readonly kind: 'thread_taken' };

/** @param way leads to where it can be corrected */
export function refusalView(refusal: Refusal, ...way: readonly KnownBlock[]): SlackMessage {
  return message(paragraph(explained(refusal)), ...way);
}

/** Below a form's field. */
export function refusalAtField(refusal: Refusal): SlackMessage {
  return refusal.kind === 'empty' ? say(refusals.emptyField) : refusalView(refusal);
}

function explained(refusal: Refusal): Mrkdwn {
  switch (refusal.kind) {
    case 'empty':
      return refusals.empty;
    case 'too_long':
      return refusals.tooLong(...lengths(refusal));
    case 'too_long_together':
      return refusals.tooLongTogether(...lengths(refusal), refusal.mayUntick);
    case 'unknown_project': {
      const names = refusal.projects.map(({ name }) => name).join(', ');
      return refusals.unknownProject(nameOf(refusal.name), oneLine(names, NAMES_MAX));
    }
    case 'two_projects':
      return refusals.twoProjects(nameOf(refusal.named), nameOf(refusal.chosen));
    case 'thread_taken':
      return refusals.threadTaken;
  }
}

function lengths({ length, maxLength }: Lengths): [string, string] {
  return [numbers.format(length), numbers.format(maxLength)];
}

function nameOf(untrusted: string): string {
  return oneLine(readableText(untrusted, new Map()), WORD_MAX);
}

/** `threadUrl`: null if the watching job has no card yet. */
export function watchedAlreadyView(threadUrl: string | null): SlackMessage {
  const news = paragraph(refusals.watchedAlready);
  return threadUrl === null ? message(news) : message(news, buttonRow(openThreadButton(threadUrl)));
}

/** The word after `watch` is too long for an id. */
export const noJobIdView = say(refusals.noJobId);

export function noSuchAgentJobView(id: string, projectName: string): SlackMessage {
  return say(refusals.noSuchAgentJob(nameOf(id), nameOf(projectName)));
}

/** The agent did not answer in time: the job is watched anyway. */
export const watchedUnseenView = say(refusals.watchedUnseen);

/** At the channel's field. */
export const noChannelView = say(refusals.noChannel);

export const storingUnclearView = say(refusals.unclear);

/** The answer could not be read. */
export const notReadView = say(refusals.notRead);

export const notStoredView = say(refusals.notStored);

const ID_MAX = 32;
const NAME_MAX = 80;

/** Tells a person, privately, why the program refuses. */
export function notAllowedView(refusal: AccessRefusal): SlackMessage {
  return say(notAllowed.because(notAllowed.reasons[refusal]));
}

export type AdminDeed = keyof typeof adminsOnly.deeds;

/**
 * @param admins the names of some administrators; empty: the settings name none, so the workspace's own are
 */
export function adminsOnlyView(deed: AdminDeed, userId: string, admins: readonly string[]): SlackMessage {
  if (admins.length === 0) return say(adminsOnly.nobodyNamed(oneLine(userId, ID_MAX)));
  const names = admins.map((name) => `@${oneLine(name, NAME_MAX)}`);
  const asked = new Intl.ListFormat('en-US', { type: 'disjunction' }).format(names);
  return say(adminsOnly.because(adminsOnly.deeds[deed], asked));
}

/** Slack could not say who the person is. @param needsAdmin and will not until the app's set-up changes */
export function notCheckedView(needsAdmin = false): SlackMessage {
  return say(needsAdmin ? notAllowed.needsAdmin : notAllowed.notChecked);
}

/** The app is installed, but the operator has not bound the workspace to projects. */
export function notSetUpView(teamId: string): SlackMessage {
  return say(notAllowed.notSetUp(teamId));
}

/** The app was removed, or is here through a conversation shared with another workspace. */
export const notInstalledView = say(notAllowed.notInstalled);
