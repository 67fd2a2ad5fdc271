import { expect, test } from 'vitest';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { testServerUrl } from '../support/postgres.ts';
import { deliver } from '../support/slack-teams/deliver.ts';
import { acme, acmeProject, beta, betaProject } from '../support/slack-teams/program.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { news, startOnFixture, type Upgraded } from './support/fixture.ts';

const HOUR_MS = 3_600_000;
const pullRequest = (number: number) => `https://github.com/acme/docs/pull/${number}`;
/** One that was announced for a job that is forgotten by now. */
const announcedLongAgo = pullRequest(900);
const databases = [
  { name: 'SQLite', serverUrl: undefined },
  ...(testServerUrl === undefined ? [] : [{ name: 'Postgres', serverUrl: testServerUrl }]),
];

test.each(databases)(
  'a database of version 0.1.0 is migrated, and its open jobs go on, on $name',
  { timeout: 180_000 },
  async ({ serverUrl }) => {
    await using program = await startOnFixture(serverUrl);
    await decide(program);
    await soon(program, expectHome);
    await passHours(program, 2);
    await deliverAgain(program);
    await soon(program, expectPrompts);
    await endAll(program);
    for (const check of [expectNews, expectNotices, expectReceipts]) await soon(program, check);
    await expectSettings(program);
    await expectTokens(program);
  },
);

/** Lets time run until the check passes. */
async function soon(program: Upgraded, check: (program: Upgraded) => void | Promise<void>): Promise<void> {
  await program.later(
    () => Promise.resolve(check(program)),
    () => true,
    check.name,
  );
}

const control = ({ slack }: Upgraded, team = acme) => slack.team(team).control;

/** Slack delivers again what it got no acknowledgement for, later than the program would ask about: nothing happens. */
async function deliverAgain(program: Upgraded): Promise<void> {
  const { command, event } = program.outside.delivered;
  const form = new URLSearchParams({ ...command, team_id: acme }).toString();
  const url = `http://127.0.0.1:${program.services[0]?.port}/slack/events`;
  const answer = await deliver(url, form, { 'content-type': 'application/x-www-form-urlencoded' });
  expect(answer.status).toBe(200);
  expect(await program.slack.event({ ...event, team_id: acme })).toBe(200);
  await passSeconds(program, 10);
}

/** People answer what the program asked them, by the buttons of before and by those of now. */
async function decide(program: Upgraded): Promise<void> {
  await press(program, await inThread(program, 'Name the regions', 'may not have started'), 'Start again');
  await press(program, await inThread(program, 'Restructure the guides', 'Keep watching'), 'Keep watching');
  const question = (await control(program).messages(general)).findLast(
    ({ ephemeral_to, blocks }) =>
      ephemeral_to === alice && JSON.stringify(blocks).includes('"Start another"'),
  );
  await press(program, question, 'Start another');
  await press(program, await inThread(program, 'Create is cut off', 'confirm the start'), 'Start again');
  await press(program, await inThread(program, 'Describe the errors', 'Send again'), 'Send again');
}

/** A button that people see, by its label. */
async function press(program: Upgraded, message: SlackMessage | undefined, label: string): Promise<void> {
  if (message === undefined) throw new Error(`there is no message with "${label}"`);
  const buttons = (message.blocks ?? []).flatMap(({ elements = [] }) => elements);
  const found = buttons.find((button) => JSON.stringify(button.text ?? null).includes(`"text":"${label}"`));
  await control(program).press(message, found?.action_id ?? label, alice);
}

/** The card of this prompt, where it was asked for first. */
async function cardOf(program: Upgraded, prompt: string, team = acme): Promise<SlackMessage> {
  const channel = prompt === 'Sort the glossary' ? random : general;
  // As it is drawn now; one of a job that waits for a person is as it was drawn before.
  const titles = [`*${prompt}*`, `“${prompt}”`];
  const isCard = ({ thread_ts, ephemeral_to, text }: SlackMessage) =>
    thread_ts === undefined && ephemeral_to === undefined && titles.some((title) => text.includes(title));
  return program.later(
    async () => (await control(program, team).messages(channel)).find(isCard),
    (card): card is SlackMessage => card !== undefined,
    `the card of "${prompt}"`,
  ) as Promise<SlackMessage>;
}

async function inThread(program: Upgraded, prompt: string, words: string): Promise<SlackMessage | undefined> {
  const card = await cardOf(program, prompt);
  return program.later(
    async () =>
      (await control(program).thread(card.channel, card.ts)).findLast(
        (message) => message.ts !== card.ts && JSON.stringify([message.text, message.blocks]).includes(words),
      ),
    (message) => message !== undefined,
    `"${words}" in the thread of "${prompt}"`,
  );
}

/** Within an hour, the machine sleeps most of the time. */
async function passHours(program: Upgraded, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    await passSeconds(program, 60);
    program.clock.freeze(HOUR_MS - 60_000);
  }
  await passSeconds(program, 60);
}

async function passSeconds({ clock, slack }: Upgraded, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    await clock.advance(1_000);
    await expect
      .poll(() => slack.team(acme).inFlight() + slack.team(beta).inFlight(), { message: 'quiet' })
      .toBe(0);
  }
}

/** What each agent job was given: nothing is lost, and nothing was sent twice but what a person wanted so. */
function expectPrompts(program: Upgraded): void {
  const prompts = (projectId: string) =>
    program
      .prompts(projectId)
      .map(([first, ...more]) => [first, ...more.join('\n\n').split('\n\n').filter(Boolean)]);
  expect(prompts(acmeProject).toSorted()).toEqual([
    ['Card answers late', 'An early word'],
    ['Card is cut off'],
    ['Card waits'],
    ['Check the links'],
    ['Check the links'],
    ['Create is cut off'],
    ['Create is put off'],
    ['Describe the archive'],
    ['Describe the errors', 'Mention the codes', 'Sort them by number', 'Link them'],
    ['Draw the flow', 'In two colours'],
    ['Explain the limits'],
    ['Name the regions'],
    ['Over the budget'],
    ['Restructure the guides', 'Keep the old names'],
    ['Show the headers'],
    ['Sort the glossary'],
  ]);
  expect(prompts(betaProject)).toEqual([['Translate the intro', 'Formal words']]);
}

/** The first pull request of those that the agent makes now. */
const FIRST = 1_001;

/** All turns end, each with a pull request of its own; and a job that had ended gets another one. */
async function endAll(program: Upgraded): Promise<void> {
  for (const [index, { id, prompts }] of program.agents.of(acmeProject).jobs.entries()) {
    if (prompts[0] === 'Describe the archive' || prompts[0] === 'Show the headers') continue;
    const prLink = prompts[0] === 'Restructure the guides' ? announcedLongAgo : pullRequest(FIRST + index);
    program.agents.of(acmeProject).finish(id, { status: 'completed', prLink });
  }
  const [inBeta] = program.agents.of(betaProject).jobs;
  program.agents
    .of(betaProject)
    .finish(inBeta?.id ?? '', { status: 'completed', prLink: pullRequest(FIRST) });
  await passHours(program, 2);
}

/** The thread of each job announces its pull request, once. */
async function expectNews(program: Upgraded): Promise<void> {
  for (const [team, project] of [
    [acme, acmeProject],
    [beta, betaProject],
  ] as const) {
    const channels = [general, random];
    const all = (
      await Promise.all(channels.map((channel) => control(program, team).messages(channel)))
    ).flat();
    for (const link of linksOf(program, project)) {
      const posts = all.filter(({ thread_ts, text }) => thread_ts !== undefined && text.includes(link));
      expect(
        posts.map(({ text }) => text),
        link,
      ).toEqual([expect.stringContaining(link)]);
    }
  }
  expect((await cardTexts(program)).filter((text) => /Working|Starting/.test(text))).toEqual([]);
}

/** The pull requests that the agent has made since the upgrade. */
function linksOf({ agents }: Upgraded, projectId: string): string[] {
  return agents
    .of(projectId)
    .jobs.flatMap(({ prompts }, index) =>
      /archive|guides|headers/.test(prompts[0] ?? '') ? [] : [pullRequest(FIRST + index)],
    );
}

const cardTexts = async (program: Upgraded) =>
  (await control(program).messages(general))
    .filter(({ thread_ts, ephemeral_to }) => thread_ts === undefined && ephemeral_to === undefined)
    .map(({ text }) => text);

/** The channel for notices has each pull request once, also the one of a job that was forgotten long ago. */
async function expectNotices(program: Upgraded): Promise<void> {
  const before = [900, 901, 902, 903].map(pullRequest);
  const expected = [...before, ...linksOf(program, acmeProject)];
  expect((await noticed(program, acme)).toSorted()).toEqual(expected.toSorted());
  expect(await noticed(program, beta)).toEqual(linksOf(program, betaProject));
}

const noticed = async (program: Upgraded, team: string) =>
  (await control(program, team).messages(news)).map(({ text }) => /https:[^|>\s]+/.exec(text)?.[0] ?? text);

/** Every reply was accepted in the end, and shows that and nothing else. */
async function expectReceipts(program: Upgraded): Promise<void> {
  const replies = (await control(program).messages(general)).filter(({ user }) => user === bob);
  expect(replies).toHaveLength(6);
  for (const reply of replies) {
    expect(await control(program).reactions(reply), reply.text).toEqual(['white_check_mark']);
  }
}

/** A home that was opened before, less than an hour ago, shows the job that somebody started now. */
function expectHome(program: Upgraded): void {
  const home = JSON.stringify(control(program).home(alice));
  expect(home).toContain('Check the links');
}

/** What was set for a channel holds. */
async function expectSettings(program: Upgraded): Promise<void> {
  const card = await cardOf(program, 'Sort the glossary');
  const write = (text: string) =>
    control(program).message({ channel: random, user: bob, text, threadTs: card.ts });
  await write('Only between us');
  await write(`<@${strictApp.botUserId}> By topic`);
  await soon(program, expectGlossary);
}

function expectGlossary(program: Upgraded): void {
  const glossary = program.prompts(acmeProject).find(([prompt]) => prompt === 'Sort the glossary');
  expect(glossary).toEqual(['Sort the glossary', 'By topic']);
}

/** The tokens of the installations are renewed before they expire. */
async function expectTokens(program: Upgraded): Promise<void> {
  program.clock.freeze(7 * 24 * HOUR_MS);
  for (const team of [acme, beta]) {
    await program.ask(team, 'Thank the readers');
    await cardOf(program, 'Thank the readers', team);
  }
  expect(program.slack.calls('oauth.v2.access')).toHaveLength(2);
}
