import { parseArgs } from 'node:util';
import { parseStoreConfig } from '../../app/config/config.ts';
import { type Forgotten, forget as forgetIn, type OpenWork } from '../../store/forget/forget.ts';
import type { Holdings } from '../../store/forget/personal-columns.ts';
import type { Subject } from '../../store/forget/subject.ts';
import { EXIT_TEMPORARY, type Host, UsageError } from '../command.ts';

const WORDS: Readonly<Record<keyof Holdings, string>> = {
  jobs: 'jobs, with their replies and calls: deleted',
  replies: 'replies in jobs of others: emptied',
  calls: 'calls of these jobs that repeat such words: emptied',
  mentions: 'other texts that name it: the name is removed',
  early_replies: 'replies that wait for a card: deleted',
  homes: 'home tabs: deleted',
  audit_entries: 'lines of the audit: deleted',
  settings: 'settings and installations: the name is removed, or they are deleted',
};

const OPEN_WORDS: Readonly<Record<OpenWork['what'], string>> = {
  job: 'the job is under way',
  reply: 'a reply is on its way to the agent',
  post: 'a post that names it is on its way to Slack',
};

/**
 * `docs-agent forget`: erases what the store holds of a person or a channel; without `--yes` it only says
 * what.
 */
export async function forget(args: string[], { env, now }: Host): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      user: { type: 'string' },
      channel: { type: 'string' },
      team: { type: 'string' },
      yes: { type: 'boolean', default: false },
    },
  });
  const subject = subjectOf(values);
  const forgotten = await forgetIn(parseStoreConfig(env), subject, { dry: !values.yes, nowMs: now() });
  console.log(report(subject, forgotten, values.yes));
  return forgotten.openWork.length === 0 ? 0 : EXIT_TEMPORARY;
}

function subjectOf({ user, channel, team }: { user?: string; channel?: string; team?: string }): Subject {
  if ((user === undefined) === (channel === undefined)) {
    throw new UsageError('Name either --user or --channel.');
  }
  const teamId = team === undefined ? null : checked('--team', team, /^[TE][A-Z0-9]{2,}$/, 'T0123456789');
  return user === undefined
    ? {
        kind: 'channel',
        id: checked('--channel', channel ?? '', /^[CGD][A-Z0-9]{2,}$/, 'C0123456789'),
        teamId,
      }
    : { kind: 'user', id: checked('--user', user, /^[UW][A-Z0-9]{2,}$/, 'U0123456789'), teamId };
}

function checked(option: string, id: string, form: RegExp, example: string): string {
  if (!form.test(id)) throw new UsageError(`${option} must be a Slack id, such as ${example}.`);
  return id;
}

function report(subject: Subject, { holdings, openWork }: Forgotten, isMeant: boolean): string {
  const { kind, id } = subject;
  const lines = Object.entries(WORDS).flatMap(([name, words]) => {
    const count = holdings[name as keyof Holdings];
    return count === 0 ? [] : [`  ${count} × ${words}`];
  });
  if (lines.length === 0) return `The store holds nothing about the ${kind} ${id}.`;
  const found = [
    `The store ${isMeant && openWork.length === 0 ? 'held' : 'holds'} this about the ${kind} ${id}:`,
    ...lines,
  ];
  if (openWork.length > 0) {
    const open = openWork.map(
      ({ jobId, channelId, threadTs, what }) =>
        `  job ${jobId} in ${channelId}${threadTs === null ? '' : `, thread ${threadTs}`}: ${OPEN_WORDS[what]}`,
    );
    return [
      ...found,
      'Nothing was erased, because some of it is still under way:',
      ...open,
      'Wait until these jobs are over, or stop watching them in their threads. Then run this again.',
    ].join('\n');
  }
  return [
    ...found,
    isMeant ? 'All of this was erased.' : 'Nothing has been erased yet. To erase it, add --yes.',
  ].join('\n');
}
