import { describe, expect, test } from 'vitest';
import { anAgentJob, failures, MINUTE_MS, request, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, anEndedJob, aVanishedJob, aWorkingJob } from '../support/stages.ts';
import {
  accepts,
  checked,
  fails,
  goesOut,
  happens,
  heard,
  live,
  type Step,
  says,
  startsAgain,
} from '../support/story.ts';
import { World } from '../support/world.ts';

const created: Step = (world) => world.created({ id: `agent-${world.job.creates}` });
const passes =
  (ms: number): Step =>
  (world) => {
    world.nowMs += ms;
  };
const { unreachable, rateLimited, rejected, timeout } = failures;
const creates = (world: World) => world.open('create_job').length;

describe('the agent takes the prompt', () => {
  test('the thread says that the agent works, and the poller watches', () => {
    const world = aWorkingJob();
    expect(world.news).toEqual(['started']);
    expect(world.job).toMatchObject({ stage: { kind: 'working' }, agentJob: { id: 'agent-1' } });
    expect(world.seconds(world.tasks.get('check_job'))).toBe(5);
  });

  test.each([
    ['right below its card, which says it, nothing is said', [], []],
    ['below other news, the thread says so', [fails(failures.unauthorized)], ['recovered', 'started']],
  ])('in the thread of a message, %s', (_, before, news) => {
    const world = new World({}, { ...request, thread: { threadTs: '0.500000', lastTs: '0.500000' } });
    live(world, (w) => w.cardPosted(), ...before);
    expect(heard(world, created)).toEqual(news);
  });

  test('delivered twice, it is the same job', () => {
    const world = aWorkingJob();
    const agentJob = anAgentJob({ id: 'agent-2' });
    expect(world.apply({ type: 'job_created', callId: 'another', agentJob }).calls).toEqual([]);
    expect(world.job.agentJob?.id).toBe('agent-1');
  });

  test('a job that is over already is announced as over', () => {
    const over: Step = (world) => world.created({ status: 'completed' });
    expect(heard(aJobBeingCreated(), over)).toEqual(['finished, no pull request']);
  });
});

describe('the agent surely did not get the prompt', () => {
  test('the same call goes again, and the card knows when', () => {
    const world = live(aJobBeingCreated(), fails(unreachable));
    expect([creates(world), world.seconds(world.job.trouble?.retryAtMs), world.news]).toEqual([1, 5, []]);
  });

  test('a rate limit of up to ten minutes is for the card alone; of a longer one the thread is told until when', () => {
    const world = live(aJobBeingCreated(), fails(rateLimited));
    expect([world.seconds(world.job.trouble?.retryAtMs), world.news]).toEqual([600, []]);
    expect(heard(world, passes(SECOND_MS), fails(rateLimited), fails(rateLimited))).toEqual([
      'rate_limited until 601 s',
    ]);
  });

  test('an outage is told to the thread once the request has waited for two minutes', () => {
    const world = live(aJobBeingCreated(), fails(unreachable), passes(2 * MINUTE_MS - 1), fails(unreachable));
    expect(world.news).toEqual([]);
    expect(heard(world, passes(1), fails(unreachable), fails(unreachable))).toEqual([
      'unreachable until 140 s',
    ]);
    expect(heard(world, created)).toEqual(['recovered', 'started']);
  });

  test.each([
    ['a refused key', failures.unauthorized],
    ['an unknown project', failures.notFound],
  ])('%s is announced at once, and the request is kept', (_name, failure) => {
    const world = live(aJobBeingCreated(), fails(failure), fails(failure));
    expect(world.news).toEqual(['needs_admin until 5 s']);
    expect(heard(world, created)).toEqual(['recovered', 'started']);
  });
});

describe('the agent refuses the prompt', () => {
  test('the thread says why, once, and Start again asks again', () => {
    const world = aJobBeingCreated();
    const callId = world.open('create_job')[0]?.id ?? '';
    live(world, fails(rejected));
    expect(world.apply({ type: 'create_failed', callId, failure: rejected }).calls).toEqual([]);
    expect(world.news).toEqual(['create rejected: prompt is too vague']);
    expect(heard(world, startsAgain, created)).toEqual(['started']);
  });

  test('words of the program about an answer are no words of the agent', () => {
    const { words: _none, ...silent } = { ...rejected, message: 'answered with status 400' };
    expect(heard(aJobBeingCreated(), fails(silent))).toEqual(['create rejected: ']);
  });

  test('after an outage, its end is announced', () => {
    const world = live(aJobBeingCreated(), fails(unreachable), passes(2 * MINUTE_MS), fails(unreachable));
    expect(heard(world, fails(rejected))).toEqual(['recovered', 'create rejected: prompt is too vague']);
    expect(world.job.trouble).toBeNull();
  });
});

describe('nobody knows whether the agent got the prompt', () => {
  const press = (callId: string) => happens({ type: 'start_again_pressed', callId });

  test('the thread says so, and no other call is made', () => {
    const world = live(aJobBeingCreated(), fails(timeout), passes(60 * MINUTE_MS));
    expect([world.news, creates(world)]).toEqual([['create_unknown'], 0]);
    expect(world.job.stage).toMatchObject({ kind: 'create_unknown', callId: world.buttonCallId });
  });

  test('Start again makes one call, however often it is pressed, and answers no later doubt', () => {
    const world = live(aJobBeingCreated(), fails(timeout));
    const first = press(world.buttonCallId);
    expect(creates(live(world, first, first))).toBe(1);
    expect(creates(live(world, fails(failures.serverError), first))).toBe(0);
    expect(creates(live(world, press(world.buttonCallId)))).toBe(1);
    expect(live(world, created, first).job.creates).toBe(3);
  });

  test('the answer that comes after all counts, unless Start again was pressed', () => {
    for (const isPressed of [false, true]) {
      const world = aJobBeingCreated();
      const callId = world.open('create_job')[0]?.id ?? '';
      const found = happens({ type: 'job_found', callId, agentJob: anAgentJob() });
      live(world, fails(timeout), ...(isPressed ? [press(callId), found] : [found, press(callId)]));
      expect(world.news).toEqual(isPressed ? ['create_unknown'] : ['create_unknown', 'started']);
      expect([world.job.stage.kind, creates(world)]).toEqual(isPressed ? ['creating', 1] : ['working', 0]);
    }
  });
});

describe('Start again', () => {
  test('after a failure starts a new agent job in the same thread, whose answers alone count', () => {
    const world = live(anEndedJob({ status: 'failed' }), startsAgain, startsAgain);
    expect(world.open('create_job').map(({ request }) => request.prompt)).toEqual([
      'Document the rate limits',
    ]);
    live(world, created);
    expect(world.news).toEqual(['started', 'failed', 'started']);
    expect(world.job).toMatchObject({ agentJob: { id: 'agent-2' }, threadTs: '1.000000' });
    // Of the job before, and of one that cannot be read right after its creation.
    world.apply({ type: 'job_checked', agentJob: anAgentJob({ status: 'failed' }) });
    world.apply({ type: 'check_failed', agentJobId: 'agent-1', failure: failures.notFound });
    expect(heard(world, checked(failures.notFound))).toEqual([]);
    expect(world.job.stage.kind).toBe('working');
  });

  test('works for a job that vanished', () => {
    expect(creates(live(aVanishedJob(), startsAgain))).toBe(1);
  });

  test('does nothing when the button is of an ending before the last start', () => {
    const old = happens({ type: 'start_again_pressed', creates: 1 });
    const world = live(aJobBeingCreated(), fails(rejected), startsAgain, fails(rejected), old);
    expect(creates(world)).toBe(0);
  });

  test('does nothing while the agent works, or when it has finished', () => {
    for (const world of [aWorkingJob(), anEndedJob(), anEndedJob({ status: 'archived' })])
      expect(creates(live(world, startsAgain))).toBe(0);
  });

  test('a reply that went to the job before counts as sent, but is no turn of the new one', () => {
    const world = live(anEndedJob({ status: 'failed' }), says('Another page'), goesOut, startsAgain, accepts);
    expect(world.states).toEqual(['sent']);
    expect(world.job).toMatchObject({ stage: { kind: 'creating' }, turn: 2 });
  });
});

test('a failure that is reported when no create call is under way changes nothing', () => {
  const world = aWorkingJob();
  expect(world.apply({ type: 'create_failed', callId: 'id-3', failure: timeout }).calls).toEqual([]);
  expect(world.job.stage.kind).toBe('working');
});
