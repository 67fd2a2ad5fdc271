import type { JobEvent } from '../../../jobs/event.ts';
import { judgePrompt, unescaped } from '../../../jobs/requests/command.ts';
import { formIds } from '../../protocol/ids.ts';
import { readableText } from '../../protocol/slack-text.ts';
import { changedMeanwhileView, draftForm } from '../../views/forms/compose.ts';
import { type ButtonTarget, buttons } from '../../views/parts/buttons.ts';
import { refusalAtField, refusalView } from '../../views/refusals.ts';
import { draftTooLongView } from '../../views/thread/draft.ts';
import type { ListenerDeps } from '../deps.ts';
import { type Prepared, tooLate } from '../job-button.ts';
import { namesIn } from '../requests/door.ts';
import { threadTakenProblem } from '../requests/start-job.ts';
import { formPressed, formSubmitted, jobOf } from './decision-forms.ts';
import {
  approvalProblem,
  openDraft,
  readAlong,
  readOffered,
  repliesBelow,
  saidAlong,
  toLines,
} from './draft-thread.ts';
import { filledIn } from './submit.ts';

/** *Start*: reads the messages that go along, as they are at that moment. */
export async function prepareStart(
  deps: ListenerDeps,
  { jobId, draft: number }: ButtonTarget,
  event: JobEvent,
): Promise<Prepared> {
  const job = await jobOf(deps, jobId);
  const draft = job && openDraft(job, number);
  if (job === null || draft === null || event.type !== 'draft_started') return { event };
  const denial = await approvalProblem(deps, job, event.userId);
  if (denial !== null) return { problem: denial };
  const along = await readAlong(deps, job, draft);
  if ('problem' in along) return along;
  const said = saidAlong(deps, job, draft, along);
  if ('tooLong' in said) return { problem: draftTooLongView(said.tooLong, job, draft.number) };
  return { event: { ...event, ...said } };
}

/** *Edit and start*, and *Choose…*: the request, and the messages to tick. */
export const draftPressed = (deps: ListenerDeps) =>
  formPressed(deps, async (job, data) => {
    const draft = openDraft(job, data.draft);
    if (draft === null) {
      return { problem: await tooLate(deps, job, startedBy(data.userId, data.draft)) };
    }
    const denial = await approvalProblem(deps, job, data.userId);
    if (denial !== null) return { problem: denial };
    const along = await readOffered(deps, job, draft);
    if ('problem' in along) return along;
    const names = await namesIn(deps, [job.prompt]);
    const { promptMaxLength } = deps.newContext().policy;
    const lines = [...toLines(along.messages, along.names), ...(await repliesBelow(deps, job.id))];
    return draftForm(data, { prompt: readableText(job.prompt, names), lines, promptMaxLength });
  });

export const draftSubmitted = (deps: ListenerDeps) =>
  formSubmitted(
    deps,
    { field: formIds.prompt, button: buttons.editDraft.id },
    async ({ draft: number, userId }, job, { view }) => {
      const draft = openDraft(job, number);
      if (draft === null) return { event: startedBy(userId, number) };
      const denial = await approvalProblem(deps, job, userId);
      if (denial !== null) return { problem: denial };
      const { text: prompt, ticked, tickable } = filledIn(deps, view);
      const own = judgePrompt(unescaped(prompt), deps.newContext().policy.promptMaxLength);
      if (own.kind !== 'ok') return { problem: refusalAtField(own) };
      const replies = await repliesBelow(deps, job.id);
      const isReply = (ts: string) => replies.some(({ id }) => timeIn(id) === ts);
      const tickedTs = ticked.map(timeIn).sort();
      const along = await readAlong(deps, job, {
        ...draft,
        messages: tickedTs.filter((ts) => !isReply(ts)),
      });
      if ('problem' in along) return along;
      const chosen = replies.filter(({ id }) => tickedTs.includes(timeIn(id)));
      const lines = [...toLines(along.messages, along.names), ...chosen];
      const changed = lines.find(({ id }) => !ticked.includes(id));
      if (changed !== undefined) return { problem: changedMeanwhileView(changed) };
      const said = saidAlong(deps, { ...job, prompt }, draft, along);
      if ('tooLong' in said) return { problem: refusalView(said.tooLong) };
      return {
        event: {
          ...startedBy(userId, number),
          prompt,
          ...said,
          withheld: tickable.map(timeIn).filter((ts) => isReply(ts) && !tickedTs.includes(ts)),
        },
        isTaken: (tx) => threadTakenProblem(tx, job, userId),
      };
    },
  );

function startedBy(userId: string, draft = 0) {
  return { type: 'draft_started', draft, userId } as const;
}

function timeIn(id: string): string {
  return id.split('|', 1)[0] ?? '';
}
