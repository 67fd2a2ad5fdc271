import { expect, test } from 'vitest';
import { agentCalls, killHard } from '../crash/support/outside.ts';
import { elleHistory, type Noted, type Operation } from '../support/invariants/elle.ts';
import type { AgentTook } from '../support/invariants/world.ts';
import { has } from '../support/is.ts';
import { alice, general, type SlackMessage } from '../support/local-slack.ts';
import { expectJudged } from './support/elle-cli.ts';
import { describeReplicas, type Replicas, startReplicas } from './support/replicas.ts';
import { ask, isAccepted, reply } from './support/story.ts';

const QUIET = 'Document the limits';
const UNCLEAR = 'Document the errors';
const FIRST = 'Mention the CLI';
const SECOND = 'Add an example';
const IN_DOUBT = 'And a picture';

describeReplicas('two replicas, killed while the fate of a reply is open', (serverUrl) => {
  test('lose, double and reorder nothing, says Elle, which finds each of these where we falsify the record', async () => {
    await using world = await startReplicas(serverUrl);
    await play(world);
    const noted = await world.noted();
    const history = elleHistory(noted);

    const [agents, threads] = readsOf(history, QUIET);
    expect([agents, threads]).toEqual([
      [QUIET, FIRST, SECOND],
      [QUIET, FIRST, SECOND],
    ]);
    expect(readsOf(history, UNCLEAR)).toEqual([[UNCLEAR, FIRST, SECOND, IN_DOUBT, `${IN_DOUBT} (2)`]]);
    const [inSlack = [], inLedger] = readsOf(history, general);
    expect(inSlack).toEqual(inLedger);
    // Two cards, starts and ends, and a question.
    expect(inSlack).toHaveLength(7);
    expect(endedAs(history, 'info')).toEqual([[['append', UNCLEAR, IN_DOUBT]]]);
    expect(endedAs(history, 'fail')).toEqual([]);
    await expectJudged(history, []);

    const doubled = elleHistory(withReplies(noted, (first, second) => [first, first, second]));
    expect(readsOf(doubled, QUIET)).toEqual([[QUIET, FIRST, FIRST, SECOND], threads]);
    await expectJudged(doubled, ['duplicate-elements']);

    const overtaken = elleHistory(withReplies(noted, (first, second) => [second, first]));
    expect(readsOf(overtaken, QUIET)).toEqual([[QUIET, SECOND, FIRST], threads]);
    await expectJudged(overtaken, ['incompatible-order']);

    const lost = elleHistory(withReplies(noted, (first) => [first]));
    expect(readsOf(lost, QUIET)).toEqual([[QUIET, FIRST], threads]);
    await expectJudged(lost, ['G-single-item-realtime']);

    const invented = elleHistory(
      withReplies(noted, (...all) => [...all, { ...all[1], prompt: 'Delete it' }]),
    );
    expect(endedAs(invented, 'fail')).toEqual([[['append', expect.anything(), 'Delete it']]]);
    await expectJudged(invented, ['G1a']);

    const messages = noted.messages.filter(({ text }) => !text.includes('On it'));
    const unposted = elleHistory({ ...noted, messages });
    expect(readsOf(unposted, general)).toEqual([expect.objectContaining({ length: 5 }), inLedger]);
    await expectJudged(unposted, ['incompatible-order']);
  });
});

async function play(world: Replicas): Promise<void> {
  const { api } = world;
  const posts = async (words: string) =>
    (await world.messages()).filter(({ text, thread_ts }) => thread_ts && text.includes(words));
  const replicas = await Promise.all([world.start(), world.start()]);
  await ask(world, QUIET);
  await ask(world, UNCLEAR);
  await world.until(() => posts('On it'), has(2), 'both to be at work');
  const cards = (await world.messages()).filter(({ thread_ts }) => thread_ts === undefined);
  const write = async (text: string) => {
    for (const written of await Promise.all(cards.map((card) => reply(world, card, text)))) {
      await isAccepted(world, written);
    }
  };
  await write(FIRST);
  await write(SECOND);

  const unclear = api.jobs.find(({ prompts }) => prompts.includes(UNCLEAR));
  const card = cards.find(({ text }) => text.includes(UNCLEAR));
  if (unclear === undefined || card === undefined) throw new Error(`nothing of "${UNCLEAR}"`);
  world.agentProxy.fail(agentCalls.messageTo(unclear.id), { answerAfter: new Promise(() => {}) });
  const inDoubt: SlackMessage = await reply(world, card, IN_DOUBT);
  await world.until(() => unclear.prompts, has(4), 'the agent to have the reply');
  await Promise.all(replicas.map(killHard));
  await world.expireLeases();
  await Promise.all([world.start(), world.start()]);
  await world.slack.press(await world.messageSeen("Couldn't confirm"), 'send_again', alice);
  await isAccepted(world, inDoubt);

  for (const [index, { id }] of api.jobs.entries())
    api.finish(id, { status: 'completed', prLink: `https://github.com/acme/docs/pull/${index}` });
  await world.until(() => posts('🎉'), has(2), 'both to be over');
  const tasks = () => world.query("select id from task where kind <> 'check_ended_job'");
  await world.until(tasks, has(0), 'all to be done');
  await world.isAtRest([QUIET, UNCLEAR]);
}

/** What was read of a list: by the agent or Slack, then by our side. */
function readsOf(history: readonly Operation[], list: string): (readonly string[])[] {
  const read = endedAs(history, 'ok').flat();
  return read.flatMap(([kind, of, elements]) =>
    kind === 'r' && of === list && elements !== null ? [elements] : [],
  );
}

function endedAs(history: readonly Operation[], type: Operation['type']): Operation['value'][] {
  return history.filter((operation) => operation.type === type).map(({ value }) => value);
}

/** As if the agent had had other replies in the quiet thread. */
function withReplies(
  { steps, messages }: Noted,
  falsify: (first: AgentTook, second: AgentTook) => readonly AgentTook[],
): Noted {
  const taken = steps.filter((step): step is AgentTook => 'to' in step && step.to === 'agent');
  const job = taken.find(({ prompt }) => prompt === QUIET)?.agentJobId;
  const [first, second] = taken.filter((one) => one.agentJobId === job && one.operation === 'message');
  if (first === undefined || second === undefined) throw new Error('the replies did not reach the agent');
  const others = steps.filter((step) => step !== first && step !== second);
  return { steps: [...others, ...falsify(first, second)], messages };
}
