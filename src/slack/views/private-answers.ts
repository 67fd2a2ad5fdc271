import type { Button, KnownBlock } from '@slack/types';
import type { EphemeralNotice } from '#jobs/call.ts';
import { activeStages, canStop, isStopping, type Job, workingSince } from '#jobs/job.ts';
import type { AccessRefusal } from '#jobs/policy.ts';
import type { PromptVerdict, UnknownProject } from '#jobs/requests/command.ts';
import {
  CHANNEL_IS_SHARED,
  classOf,
  isNotInChannel,
  isPlaceClosed,
  NOT_SEEN,
} from '../protocol/error-codes.ts';
import { buttons } from './buttons.ts';
import { type Sites, stateLine } from './job.ts';
import {
  type Blocks,
  buttonRow,
  linkButton,
  message,
  messageOfJob,
  quotation,
  type SlackMessage,
  say,
  targetButton,
  withoutAccessory,
} from './message.ts';
import {
  ago,
  channelMention,
  cutEscaped,
  duration,
  inFigures,
  isDirectMessage,
  type Mrkdwn,
  mrkdwn,
  type Names,
  NO_NAMES,
  oneLine,
  promptTitle,
  quotedPrompt,
  shownPrompt,
  typedLine,
} from './text.ts';

const invite = '/invite @docs-agent';

const WORD_MAX = 50;
const NAMES_MAX = 1000;
const ID_MAX = 32;
const NAME_MAX = 80;

type Lengths = Omit<Extract<PromptVerdict, { kind: 'too_long' }>, 'kind'>;

export type Refusal =
  | Exclude<PromptVerdict, { kind: 'ok' }>
  | (Lengths & Readonly<{ kind: 'too_long_together'; mayUntick: boolean }>)
  | UnknownProject
  /** In the text and in the menu. */
  | Readonly<{ kind: 'two_projects'; named: string; chosen: string }>
  | { readonly kind: 'thread_taken' };

export function refusalView(refusal: Refusal, way?: Blocks): SlackMessage {
  return message(explanationOf(refusal), way);
}

export function refusalAtField(refusal: Refusal): SlackMessage {
  return refusal.kind === 'empty' ? say`Write what should change.` : refusalView(refusal);
}

function explanationOf(refusal: Refusal) {
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
  return `${inFigures(length)} characters; the limit is ${inFigures(maxLength)}`;
}

function nameOf(untrusted: string) {
  return typedLine(untrusted, WORD_MAX);
}

export function watchedAlreadyView(threadUrl: string | null): SlackMessage {
  return message(
    mrkdwn`👀 I'm already watching this job. Continue in its thread.`,
    buttonRow(linkButton(buttons.openThread, threadUrl)),
  );
}

export const noJobIdView = say`🔍 That isn't a job id. \`/docs-agent watch\` takes the agent\'s id for the job.`;

export function noSuchAgentJobView(id: string, projectName: string): SlackMessage {
  return say`🔍 The agent has no job “${nameOf(id)}” in the ${nameOf(projectName)} project. Check the id; for another project, type \`/docs-agent project=name watch job_123\`.`;
}

export const watchedUnseenView = say`⏳ The agent didn't answer in time, so I couldn't check that id. The thread will say if there's no such job.`;
export const agentSilentView = say`I can't reach the agent right now, so I couldn't check this id. Please try again in a minute.`;
export const noChannelView = say`Choose a channel.`;
export const storingUnclearView = say`❓ I can't tell whether that was saved. If nothing appears within a minute, please try again.`;
export const notReadView = say`⚠️ I can't show that right now. Please try again in a minute.`;
export const notStoredView = say`⚠️ I couldn't save that. Please try again in a minute.`;

export const whyNot = {
  nobody: "bots and deactivated accounts aren't allowed",
  unknown_person: "Slack doesn't tell me who you are",
  other_workspace: 'only members of this workspace',
  guest: "guests aren't allowed",
  person: 'only certain people',
  channel: 'only certain channels',
  shared_channel: 'this channel is shared with another organisation',
  unread_channel: "I can't tell whether this channel is shared with another organisation",
};

export function notAllowedView(refusal: AccessRefusal): SlackMessage {
  return say`🔒 You can't use docs-agent here: ${whyNot[refusal]}. Ask an administrator for access.`;
}

const adminActions = {
  settings: 'change settings here',
  see: 'see this',
  resume: 'resume a recipe',
};

export type AdminAction = keyof typeof adminActions;

/** @param admins some names; empty if none are set */
export function adminsOnlyView(action: AdminAction, userId: string, admins: readonly string[]): SlackMessage {
  if (admins.length === 0) {
    return say`🔒 docs-agent has no administrators yet. Its operator can set \`ADMINS=${oneLine(userId, ID_MAX)}\` (that's you).`;
  }
  const names = admins.map((name) => `@${oneLine(name, NAME_MAX)}`);
  const asked = new Intl.ListFormat('en-US', { type: 'disjunction' }).format(names);
  return say`🔒 Only administrators can ${adminActions[action]}. Ask ${asked}.`;
}

/** @param needsAdmin retrying won't help */
export function notCheckedView(needsAdmin = false): SlackMessage {
  return needsAdmin
    ? say`⚠️ I couldn't check whether you may do this: Slack doesn't let me ask. An administrator must reinstall the app with all the permissions in its manifest.`
    : say`⚠️ I couldn't check whether you may do this: Slack didn't answer. Please try again in a minute.`;
}

export function notSetUpView(teamId: string): SlackMessage {
  return say`🧭 *docs-agent isn't set up for this workspace yet.* An operator of docs-agent must add the workspace ${teamId} to its configuration file, with the projects that belong to it.`;
}

/** Also used where the conversation is shared with another workspace. */
export const notInstalledView = say`🧭 *docs-agent isn't installed in this workspace.* An administrator can install it.`;

export const threadForgottenView = say`🗄️ *I no longer follow this thread.* Its job is no longer stored. Mention me to start another here.`;
export const jobForgottenView = say`Already done: this job is no longer stored. Start a new one with \`/docs-agent\`.`;
export const buttonGoneView = say`🗄️ *That's not available here.* The part of docs-agent that this button belongs to was removed, or is not running yet.`;
/** Another program shares the app. */
export const jobAtAnotherView = say`⚠️ *That didn't arrive.* Two programs share this Slack app, and this reached the one that doesn't know the job. Try again, and tell an administrator.`;
export const notYourFormView = say`This form was made for somebody else or for another channel. Press the button in the thread again.`;

export function typedOnlyView(command: string): SlackMessage {
  const typed = oneLine(command);
  return say`Type it as a command: \`/docs-agent ${typed}\`. If you mean a request, put \`--\` in front: \`-- ${typed}\`.`;
}

/** For mentions added by an edit. */
export const newMessagesOnlyView = say`I only read new messages. Send it as a new message to start a job.`;

/** Enough to copy and resend; fits a section. */
const COPIED_MAX = 2500;

/** For the requester, if Slack took no card or draft. */
export function requestNotPostedView(
  about: 'card_refused' | 'card_delayed' | 'draft_refused',
  reason: string,
  job: Job,
  names: Names,
): SlackMessage {
  const explain = { card_refused: whyNoCard, card_delayed: whyDelayed, draft_refused: whyNoDraft }[about];
  return messageOfJob(
    job,
    names,
    explain(reason, job),
    quotation(shownPrompt(job.prompt, names, COPIED_MAX)),
    about === 'card_refused' && buttonRow(tryAgainButton(reason, job)),
  );
}

const button = mrkdwn`*${buttons.tryAgain.label}*`;

function whyNoCard(reason: string, job: Job): Blocks {
  if (isBetweenPeople(reason, job)) {
    return mrkdwn`I can't join a direct message between two people. Use a channel, or write to me directly.`;
  }
  if (isNotInChannel(reason)) {
    return mrkdwn`I'm not in this channel yet. Type \`${invite}\`, then press ${button}. Your request is saved.`;
  }
  if (reason === NOT_SEEN) {
    return mrkdwn`I can't tell whether the card for your request was posted. If you find one, ignore it: ${button} posts another.`;
  }
  if (reason === CHANNEL_IS_SHARED) return notAllowedView('shared_channel').blocks;
  if (isPlaceClosed(reason)) {
    return mrkdwn`I can't post in this channel: ${whyRefused(reason)}. Ask in another one, or ask an administrator.`;
  }
  return mrkdwn`Slack didn't accept my message (${oneLine(reason)}). Ask an administrator, then press ${button}. Your request is saved.`;
}

export function tryAgainButton(reason: string, job: Job): Button | null {
  if (isBetweenPeople(reason, job)) return null;
  return targetButton(buttons.tryAgain, job, { cards: job.cards });
}

/** Nobody can invite a bot into a direct message between two people. */
export function isBetweenPeople(reason: string, { channelId }: Job): boolean {
  return isNotInChannel(reason) && isDirectMessage(channelId);
}

export const startingView = say`🚀 *Starting.* The card is about to appear.`;

function whyDelayed(reason: string, { channelId }: Job) {
  if (isNotInChannel(reason)) {
    return mrkdwn`I'm not in ${channelMention(channelId)} yet. Type \`${invite}\`, and your request starts by itself.`;
  }
  if (reason === NOT_SEEN) {
    return mrkdwn`⏳ *Waiting for Slack* · I can't tell yet whether the card for your request was posted. Your request is saved and continues automatically.`;
  }
  const code = oneLine(reason);
  return classOf(reason) === 'admin'
    ? mrkdwn`⚠️ *Waiting for an administrator* · Slack doesn't let me post (${code}). Your request is saved and continues once it's fixed.`
    : mrkdwn`⏳ *Waiting for Slack* · It isn't accepting my messages right now (${code}). Your request is saved and continues automatically.`;
}

function whyNoDraft(reason: string, { channelId }: Job) {
  return mrkdwn`⚠️ *Couldn't post a draft in ${channelMention(channelId)}:* ${whyRefused(reason)}. The draft wasn't kept; ask again once that's fixed.`;
}

/** @param code Slack's error code; shown if it doesn't concern the place */
export function whyRefused(code: string): string {
  if (isNotInChannel(code)) return "I'm not in this channel";
  if (code === CHANNEL_IS_SHARED) return 'it is shared with another organisation';
  if (code.endsWith('is_archived')) return 'it is archived';
  return isPlaceClosed(code) ? "posting isn't allowed" : `Slack says ${oneLine(code)}`;
}

/** For news that the thread lacks. @param isKept posted there later */
export function notPostedView(
  reason: string,
  { channelId }: Job,
  { text }: SlackMessage,
  isKept = false,
): SlackMessage {
  const notSure =
    reason === NOT_SEEN
      ? mrkdwn`I can't tell whether this was posted in the thread:`
      : mrkdwn`I couldn't post this in the thread, or couldn't confirm that it's there (${oneLine(reason)}):`;
  const later = mrkdwn`⏳ ${closedPlace(reason, channelId)} I'll post this in the thread once I can, for up to a week:`;
  return message(isKept ? later : notSure, { mrkdwn: cutEscaped(text, COPIED_MAX) });
}

/** For news that the thread must not show. Elsewhere, only link buttons work. */
export function movedView(channelId: string, { blocks }: SlackMessage): SlackMessage {
  const withLinksOnly = (block: KnownBlock): Blocks => {
    if (block.type !== 'actions') return withoutAccessory(block);
    const links = block.elements.filter((element) => element.type === 'button' && element.url !== undefined);
    return links.length > 0 && { ...block, elements: links };
  };
  return message(
    mrkdwn`🔒 ${channelMention(channelId)} is shared with another organisation now. Updates on your job come to you here:`,
    blocks.map(withLinksOnly),
  );
}

export function closedPlace(reason: string, channelId: string): Mrkdwn {
  const channel = channelMention(channelId);
  if (isNotInChannel(reason)) return mrkdwn`I'm no longer in ${channel}. Type \`${invite}\` there.`;
  return mrkdwn`I can't post in ${channel}: ${whyRefused(reason)}.`;
}

/** A button holds 75 characters. */
const SAID_MAX = 40;

/** `canStop`: the agent can be stopped while it works. */
export type RunningJob = Readonly<{
  job: Job;
  permalink: string | null;
  names: Names;
  canStop?: boolean;
}>;

export function runningJobView(
  running: RunningJob | null,
  about: 'stop' | 'progress',
  nowMs: number,
): SlackMessage {
  if (running === null) return say`Nothing of yours is running.`;
  const { job, permalink, names, canStop } = running;
  const openThread = linkButton(buttons.openThread, permalink);
  const progress = mrkdwn`${stillWorking(job, nowMs)}: ${promptTitle(job.prompt, names)}`;
  const blocks =
    about === 'stop' ? stopBlocks(job, names, canStop, openThread, false) : [progress, buttonRow(openThread)];
  return messageOfJob(job, names, blocks);
}

type ShownNotice = Omit<EphemeralNotice, 'kind'> & {
  readonly kind: Exclude<EphemeralNotice['kind'], 'help' | 'list' | 'details' | 'status'>;
};

export function ephemeralView(
  { kind, messageTs, said = '' }: ShownNotice,
  job: Job,
  { nowMs, sites, canStop }: Readonly<{ nowMs: number; sites?: Sites | undefined; canStop?: boolean }>,
): SlackMessage {
  const what = messageTs === job.requestTs ? 'request' : 'reply';
  const isRunning = activeStages.has(job.stage.kind);
  switch (kind) {
    case 'edited_after_sending':
      return message(
        mrkdwn`✏️ You edited a ${what} that was already sent.`,
        buttonRow(targetButton(buttons.sendCorrection, job, { messageTs })),
      );
    case 'small_talk':
      return message(
        mrkdwn`*Kept between people: it looks like a thank-you.*`,
        buttonRow(targetButton(buttons.sendAnyway, job, { messageTs })),
      );
    case 'stop': {
      const label = `Send ${quotedPrompt(oneLine(said, SAID_MAX), NO_NAMES, SAID_MAX)} to the agent`;
      const send = targetButton({ ...buttons.sendAnyway, label }, job, { messageTs });
      return isRunning
        ? message(stopBlocks(job, NO_NAMES, canStop, send, true))
        : message(mrkdwn`Nothing is running in this thread.`, buttonRow(send));
    }
    case 'progress': {
      const words = isRunning
        ? mrkdwn`${stillWorking(job, nowMs)}. The agent can't answer questions; I'll post the pull request here.`
        : stateLine(job, { sites });
      return withSendButton(message(words), job, messageTs);
    }
  }
}

export function withSendButton({ blocks }: SlackMessage, job: Job, messageTs: string): SlackMessage {
  const kind = { ...buttons.sendAnyway, label: 'Send to the agent' };
  return message(blocks, buttonRow(targetButton(kind, job, { messageTs })));
}

export const mutedNowView = say`🔇 *Muted.* Replies stay between people until \`unmute\`.`;
export const correctionSentView = say`✏️ The correction is on its way to the agent.`;
export const sentAnywayView = say`👀 On its way to the agent.`;

function stillWorking({ stage, requestedAtMs }: Job, nowMs: number) {
  const sinceMs = stage.kind === 'working' ? workingSince(stage) : requestedAtMs;
  return mrkdwn`*Still working*, ${duration(nowMs - sinceMs)} so far`;
}

/** Offers *Stop*, or *Mute* and the reason. */
function stopBlocks(
  job: Job,
  names: Names,
  mayStop: boolean | undefined,
  beside: Button | null,
  isInThread: boolean,
): Blocks {
  const { muted, threadTs } = job;
  const title = mrkdwn`${promptTitle(job.prompt, names)} · ${ago(job.requestedAtMs)}`;
  if (canStop(job)) {
    // The outcome replaces the person's private message.
    const stop = targetButton(buttons.stop, job, { isPrivate: true });
    return [mrkdwn`*Stop this?* ${title}`, buttonRow(stop, beside)];
  }
  const notNow = mayStop
    ? mrkdwn`*The agent hasn't started yet.* Say it again once it's working.`
    : mrkdwn`*I can't stop the agent: it has no way to be stopped.*`;
  const where = isInThread ? {} : { isPrivate: true };
  const mute = !muted && threadTs !== null && targetButton(buttons.muteUpdates, job, where);
  return [
    isStopping(job) ? stateLine(job) : notNow,
    isInThread ? title : mrkdwn`Your latest running request: ${title}`,
    buttonRow(mute, beside),
  ];
}
