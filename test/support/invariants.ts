import { type Announcement, announcedLink, meaningOf } from '../../src/jobs/announcement.ts';
import type { CallRequest } from '../../src/jobs/call.ts';
import { receiptOf } from '../../src/jobs/follow-ups/follow-up.ts';
import { type Job, overStages } from '../../src/jobs/job.ts';
import { isAlive, isMoving, isOffered, openCalls } from './invariants/leads-on.ts';
import type { CallRow, JobRows } from './invariants/rows.ts';
import type { OutwardCall, World } from './invariants/world.ts';

/** A commit that changed what is stored of a job. `before` null: it is new; `after` null: it was deleted. */
export interface Commit {
  readonly before: JobRows | null;
  readonly after: JobRows | null;
}

export interface Invariant {
  /** What was broken, in words; nothing if it holds. `world`: as it is after the commit. */
  readonly ofCommit?: (commit: Commit, world: World) => readonly string[];
  /** `world`: as it was when the call arrived. */
  readonly ofCall?: (call: OutwardCall, world: World) => readonly string[];
}

/**
 * What holds after every commit and every call to the outside, whatever fails: the promise that nothing is lost or
 * doubled, one sentence each, with a fault that it finds. `docs/reliability.md` lists them.
 */
export const invariants = {
  /**
   * A request that was accepted has an outcome that its thread shows, or a row that leads to one: a post of its
   * card, a create call, a check of the agent's job, or a question with a button. Would catch a job at which the
   * agent works and that nobody looks at any more.
   */
  'every request has an outcome, or work that leads to one': {
    ofCommit: whenStored(({ after }) =>
      isAlive(after) ? [] : [`the job is ${after.job.stage.kind}, and nothing leads on`],
    ),
  },

  /**
   * A call that has no end yet has a task that will make it, look for it, or ask for it. Would catch a lane that
   * completes its task with a call left.
   */
  'every call has an end, or a task that leads to one': {
    ofCommit: whenStored(({ after: { calls, tasks } }) =>
      calls
        .filter((call) => call.endedAt === null && !tasks.includes(taskOf(call)))
        .map((call) => `${nameOf(call)} is ${call.state}, and there is no task ${taskOf(call)}`),
    ),
  },

  /**
   * A reply is sent, is kept out, waits for a task or for the job, or a message in the thread asks what to do. Would
   * catch a reply that waits for a sending that nobody planned.
   */
  'every reply is sent, waits for a task, or is asked about': {
    ofCommit: whenStored(({ after }) =>
      after.followUps
        .filter((followUp) => !isMoving(followUp, after))
        .map(({ messageTs, state, callId }) => `the reply ${messageTs} is ${state} (${callId})`),
    ),
  },

  /**
   * A reply has the receipt that its state asks for, or a task that will put it there. Would catch a reply that is
   * sent and goes on showing that it waits.
   */
  'every reply shows what became of it': {
    ofCommit: whenStored(({ after: { job, followUps, tasks } }) =>
      tasks.includes(`refresh_receipts:${job.id}`)
        ? []
        : followUps
            .filter(({ state, messageTs }) => state !== 'withdrawn' && messageTs !== job.requestTs)
            .filter(({ state, receiptShown }) => receiptShown !== receiptOf[state])
            .map(
              ({ messageTs, state, receiptShown }) => `${messageTs} is ${state}, and shows ${receiptShown}`,
            ),
    ),
  },

  /**
   * When a message call is made up, no older reply stays behind. Only one create and one message call is open. Would
   * catch a batch made up from the newest reply, as when requests passed each other at a limit (604441bc).
   */
  'no reply overtakes another': {
    ofCommit: whenStored(({ before, after }) => [
      ...overtaken(before, after),
      ...(['create_job', 'send_message'] as const)
        .filter((kind) => openCalls(after, kind).length > 1)
        .map((kind) => `${openCalls(after, kind).length} calls of ${kind} are open`),
    ]),
  },

  /** Would catch a reply that was sent as it had read before it was edited. */
  'a message to the agent is its replies as they read': {
    ofCommit: whenStored(({ before, after: { calls, followUps } }) =>
      calls.flatMap(({ id, request }) => {
        const isNew = before?.calls.every((call) => call.id !== id) === true;
        if (request.kind !== 'send_message' || !isNew) return [];
        const texts = followUps.flatMap(({ callId, text }) => (callId === id ? [text] : []));
        return isInOrder(request.prompt, texts) ? [] : [`${request.prompt} is not ${texts.join(' + ')}`];
      }),
    ),
  },

  /** Would catch a reply of unknown outcome that a timer sends again. */
  'nothing unclear is repeated unless a person says so': {
    ofCommit: whenStored(({ before, after }) => (before === null ? [] : repeated(before, after))),
  },

  /**
   * Once done, failed or unknown, a call is not made again; what counted as unknown may turn out to be done. Would
   * catch an answer after the lease was lost that undoes what a person decided (see dd2425a3).
   */
  'a call that has ended is never made again': {
    ofCommit: whenStored(({ before, after }) => {
      const ended = new Map(
        before?.calls.flatMap((call) => (call.endedAt === null ? [] : [[call.id, call]])),
      );
      return after.calls.flatMap((call) => {
        const past = ended.get(call.id);
        const isSame = past === undefined || past.state === call.state;
        const isFound = past?.state === 'unknown' && call.state === 'done';
        return isSame || isFound ? [] : [`${nameOf(call)} was ${past.state} and is ${call.state}`];
      });
    }),
  },

  /**
   * What the agent took is in the ledger as under way, done or unknown: never as not made, since it would then be
   * made again without a person who says so. It would have caught a create call that may have been made and was
   * repeated (56d8f388).
   */
  'nothing is given to the agent twice without an unknown between': {
    ofCommit: whenStored(({ before, after }, world) => [
      ...agentSurplus(after.job.projectId, after, world),
      ...sentAgain(before, after),
    ]),
    ofCall: (call, world) =>
      call.to !== 'agent' || call.operation === 'cancel'
        ? []
        : surplusOf(call.operation === 'create' ? call.projectId : call.agentJobId, call.operation, world),
  },

  /**
   * A post is repeated only after Slack was searched for it. It would have caught a redirect that came after the
   * work, taken for a refusal (84df3378).
   */
  'nothing is posted twice without a look between': {
    ofCall: (call, world) => {
      if (call.to !== 'slack' || call.callId === null) return [];
      const before = world.lastPostOf(call.callId);
      return before === null || world.hasLookedSince(before) ? [] : [`${call.callId} was posted before`];
    },
  },

  /**
   * What is posted in a channel was stored as under way before, with its place. Would catch a post that goes out
   * before its commit: after a crash, nobody looks for it.
   */
  'no post without its row': {
    ofCall: (call, world) => {
      if (call.to !== 'slack' || call.method !== 'chat.postMessage') return [];
      const { callId, channel } = call;
      if (callId === null) return isPerson(channel) ? [] : [`a post in ${channel} belongs to no call`];
      if (callId.startsWith('digest:')) return [];
      const row = world.callRow(callId);
      if (row?.state === 'started') return [];
      return [`${callId} is posted, and its row is ${row?.state ?? 'missing'}`];
    },
  },

  /**
   * A post that counts as done is in Slack. Would catch an answer that is taken for the confirmation of a post that
   * Slack never had.
   */
  'no row of a post without the post': {
    ofCommit: whenStored(({ before, after }, world) =>
      endedNow(before, after)
        .filter(({ state, detail, id }) => state === 'done' && isTs(detail) && world.lastPostOf(id) === null)
        .map((call) => `${nameOf(call)} is done, and Slack has no such post`),
    ),
  },

  /**
   * A message of one workspace, channel or thread never appears in another. Would catch a post with the token, or in
   * the channel, of another workspace (as a read in 2ba24056).
   */
  'nothing of one workspace or thread in another': {
    ofCall: (call, world) => {
      if (call.to !== 'slack' || call.callId === null) return [];
      const owner = world.ownerOf(call.callId);
      if (owner === null) return [];
      const { teamId, channelId } = placeOf(owner.job, owner.call.request);
      const isThere = teamId === call.teamId && (channelId === call.channel || isPerson(call.channel));
      return isThere ? [] : [`${call.callId} of ${teamId} ${channelId} is in ${call.teamId} ${call.channel}`];
    },
  },

  /**
   * Between two messages that tell of the same start, end or outage, or of the same link as new, something happened. Would catch a
   * read that is older than another and ends a turn again, as a soak found (8dd3775e).
   */
  'each start, end, link and outage is announced once': {
    ofCommit: whenStored(({ before, after }, world) =>
      before?.calls.length === after.calls.length ? [] : toldAgain(after, world),
    ),
  },

  /**
   * A pull request has one notice in each notice channel, whatever job it is of. Would catch a notice by each of two
   * jobs with one pull request.
   */
  'one notice for each pull request and channel': {
    ofCommit: whenStored(({ before, after }, world) =>
      endedNow(before, after)
        .filter(({ request, state }) => request.kind === 'notify_channel' && state === 'done')
        .flatMap(({ id, request }) => {
          const others = world.noticesLike(after.job.teamId, request).filter((other) => other !== id);
          return others.map((other) => `${id} repeats the notice ${other}`);
        }),
    ),
  },

  /**
   * A question of unknown outcome has its button, until somebody, or the agent's late answer, decides it. Would
   * catch a call of unknown outcome that nobody is asked about: silence.
   */
  'nothing stays unclear without a button': {
    ofCommit: whenStored(({ after }) => {
      const { stage } = after.job;
      const unclear = after.followUps.flatMap(({ state, callId }) => (state === 'unknown' ? [callId] : []));
      if (stage.kind === 'create_unknown') unclear.push(stage.callId);
      return [...new Set(unclear)]
        .filter((callId) => callId !== null && !isOffered(after.job, callId))
        .map((callId) => `${callId} is unclear, and no message offers what to do`);
    }),
  },

  /**
   * A button that was decided shows the decision, or a task will show it: it can't be pressed for ever. Would catch
   * a button that somebody pressed and that stays, so that others press it, too.
   */
  'no button without its settlement': {
    ofCommit: whenStored(({ after }) => {
      const { job, calls, tasks } = after;
      const isPosted = (postId: string) => calls.some(({ id, state }) => id === postId && state === 'done');
      return (job.offers ?? [])
        .filter(({ outcome, isShown, postId }) => outcome !== null && !isShown && isPosted(postId))
        .filter(() => !tasks.includes(`refresh_posts:${job.id}`))
        .map(({ postId, outcome }) => `${postId} was decided (${outcome?.answer}), and does not show it`);
    }),
  },

  /**
   * In any hour, a project's create and message calls are within its budget. It would have caught replicas that
   * passed the budget together (5b4a61ce).
   */
  'the hourly budget is kept': {
    ofCommit: whenStored(({ before, after }, world) => {
      const started = after.calls.filter(
        ({ id, state }) =>
          state === 'started' && before?.calls.find((call) => call.id === id)?.state !== 'started',
      );
      return started.filter(isInBudget).flatMap(({ startedAt }) => {
        const count = world.startsWithinHour(after.job.projectId, startedAt ?? 0);
        return count <= world.hourlyBudget ? [] : [`${count} calls within an hour`];
      });
    }),
  },

  /**
   * What is deleted was over: nobody waits for it, and nothing of it is under way. Would catch retention that
   * deletes a job whose thread still waits.
   */
  'nothing is forgotten that is still open': {
    ofCommit: ({ before, after }) => {
      if (before === null || after !== null) return [];
      const { job, calls, followUps } = before;
      const isOver = overStages.some((stage) => stage === job.stage.kind);
      const waits = followUps.filter(({ state }) => state === 'waiting' || state === 'sending');
      return [
        ...(isOver ? [] : [`the job was ${job.stage.kind}`]),
        ...calls.filter(({ endedAt }) => endedAt === null).map((call) => `${nameOf(call)} was ${call.state}`),
        ...waits.map(({ messageTs, state }) => `the reply ${messageTs} was ${state}`),
      ];
    },
  },
} as const satisfies Readonly<Record<string, Invariant>>;

export type InvariantName = keyof typeof invariants;

type Stored = Commit & { readonly after: JobRows };

function whenStored(judge: (commit: Stored, world: World) => readonly string[]) {
  return ({ before, after }: Commit, world: World) => (after === null ? [] : judge({ before, after }, world));
}

function endedNow(before: JobRows | null, { calls }: JobRows): CallRow[] {
  const open = (id: string) => before?.calls.find((call) => call.id === id)?.endedAt ?? null;
  return calls.filter(({ id, endedAt }) => endedAt !== null && open(id) === null);
}

function isInOrder(prompt: string, texts: readonly string[]): boolean {
  let endsAt = 0;
  return texts.every((text) => {
    const startsAt = prompt.indexOf(text, endsAt);
    endsAt = startsAt + text.length;
    return startsAt >= 0;
  });
}

/** What was asked of the agent, or may have been, and is asked again without a press that came with this commit. */
function repeated(before: JobRows, after: JobRows): string[] {
  const undecided = (before.job.offers ?? []).flatMap(({ postId, outcome }) =>
    outcome === null ? [postId] : [],
  );
  const isPressed = (after.job.offers ?? []).some(
    ({ postId, outcome }) => undecided.includes(postId) && outcome !== null && outcome.by !== null,
  );
  if (isPressed) return [];
  const unclear = before.followUps.flatMap(({ id, state }) => (state === 'unknown' ? [id] : []));
  const creates = before.calls.filter(({ kind, state }) => kind === 'create_job' && state !== 'failed');
  const now = after.calls.filter(({ kind, state }) => kind === 'create_job' && state !== 'failed');
  return [
    ...(creates.length > 0 && now.length > creates.length ? ['the request is asked again'] : []),
    ...after.followUps
      .filter(({ id, state }) => unclear.includes(id) && (state === 'waiting' || state === 'sending'))
      .map(({ messageTs }) => `the reply ${messageTs} was unknown, and is sent again`),
  ];
}

/** Replies that stay behind a younger one, of which a call was just made up. */
function overtaken(before: JobRows | null, { followUps }: JobRows): string[] {
  const was = new Map(before?.followUps.map(({ id, state }) => [id, state]));
  const leaving = followUps.filter(({ id, state }) => state === 'sending' && was.get(id) !== 'sending');
  const last = leaving.at(-1);
  if (last === undefined) return [];
  return followUps
    .filter(({ id, messageTs, state }) => state === 'waiting' && messageTs < last.messageTs && was.has(id))
    .map(({ messageTs }) => `${messageTs} stays behind ${last.messageTs}`);
}

/** Announcements that tell again what the one before told, though nothing happened between them. */
function toldAgain({ calls }: JobRows, { clocksDifferMs }: World): string[] {
  let end: { readonly news: string; readonly afterMs: number } | null = null;
  let link: string | null = null;
  let trouble: string | null = null;
  let isStarted = false;
  return calls.flatMap((call) => {
    if (call.request.kind !== 'announce') return [];
    const { announcement } = call.request;
    if (announcement.kind === 'continued' || announcement.kind === 'started') end = null;
    const { outcome = null } = meaningOf(announcement);
    const url = announcedLink(announcement);
    const news = `${outcome} ${url}`;
    const isTrouble = announcement.kind === 'trouble' && announcement.trouble !== 'rate_limited';
    const isSameTrouble = isTrouble && announcement.trouble === trouble;
    if (isTrouble) trouble = announcement.trouble;
    if (announcement.kind === 'recovered' || announcement.kind === 'vanished') trouble = null;
    const isSame =
      outcome !== null && news === end?.news && !calls.some((one) => mayBeginTurn(one, end?.afterMs ?? 0));
    const isSameStart = announcement.kind === 'started' && isStarted;
    isStarted =
      announcement.kind === 'started' || (isStarted && outcome === null && !isRefused(announcement));
    const wrong = [
      ...(isSameStart ? [`${nameOf(call)} tells of the same start`] : []),
      ...(isSameTrouble ? [`${nameOf(call)} tells of the same outage`] : []),
      ...(isSame ? [`${nameOf(call)} tells of the same end: ${news}`] : []),
      ...(url !== null && url === link ? [`${nameOf(call)} tells of the same link: ${url}`] : []),
    ];
    if (outcome !== null) end = { news, afterMs: call.createdAt - clocksDifferMs };
    link = url ?? link;
    return wrong;
  });
}

/** A person may have it started again. */
function isRefused({ kind }: Announcement): boolean {
  return kind === 'create_unknown' || kind === 'create_rejected' || kind === 'message_rejected';
}

/** The agent took it, or may have, after the end was told. */
function mayBeginTurn(call: CallRow, afterMs: number): boolean {
  const isLater = (call.endedAt ?? Number.POSITIVE_INFINITY) > afterMs;
  return isInBudget(call) && (call.state === 'unknown' || isLater);
}

/** Replies that the agent has, and that wait again as they are. */
function sentAgain(before: JobRows | null, { followUps }: JobRows): string[] {
  const sent = new Map(
    before?.followUps.flatMap(({ id, state, text }) => (state === 'sent' ? [[id, text]] : [])),
  );
  return followUps
    .filter(({ state }) => state === 'waiting' || state === 'sending')
    .filter(({ id, text }) => text !== '' && sent.get(id) === text)
    .map(({ messageTs, state }) => `the reply ${messageTs} was sent, and is ${state}`);
}

type Operation = 'create' | 'message';

function agentSurplus(projectId: string, { job }: JobRows, world: World): string[] {
  const agentJobId = job.agentJob?.id;
  return [
    ...surplusOf(projectId, 'create', world),
    ...(agentJobId === undefined ? [] : surplusOf(agentJobId, 'message', world)),
  ];
}

/** `to`: the project of a create call, or the agent's job. */
function surplusOf(to: string, operation: Operation, world: World): string[] {
  const taken = world.takenBy(to, operation);
  const accounted = world.accountedFor(to, operation);
  return taken <= accounted
    ? []
    : [`${to} has taken ${taken} calls (${operation}), of which the ledger counts ${accounted}`];
}

function isInBudget({ kind }: CallRow): boolean {
  return kind === 'create_job' || kind === 'send_message';
}

function placeOf({ teamId, channelId }: Job, request: CallRequest) {
  return { teamId, channelId: request.kind === 'notify_channel' ? request.channelId : channelId };
}

function isPerson(channel: string): boolean {
  return /^[UWD]/.test(channel);
}

function isTs(detail: string | null): boolean {
  return /^\d+\.\d+$/.test(detail ?? '');
}

function taskOf({ lane }: CallRow): string {
  const name = lane.slice(0, lane.indexOf(':'));
  const kind = { agent: 'call_agent', step: 'complete_step' }[name] ?? 'post_to_slack';
  return `${kind}:${lane}`;
}

export function nameOf({ kind, id, request }: CallRow): string {
  const what = request.kind === 'announce' ? `${kind} of ${request.announcement.kind}` : kind;
  return `${what} ${id}`;
}
