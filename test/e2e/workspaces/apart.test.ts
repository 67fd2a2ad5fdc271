import { expect, test } from 'vitest';
import { alice, general, type SlackMessage } from '../../support/local-slack.ts';
import {
  acme,
  acmeProject,
  beta,
  betaProject,
  startTeamsProgram,
  type TeamsProgram,
} from '../../support/slack-teams/program.ts';

const ask = (program: TeamsProgram, team: string, text: string, user = alice) =>
  program.slack.team(team).control.command({ channel: general, user, text });

const card = async (program: TeamsProgram, team: string, text: string): Promise<SlackMessage> => {
  const cards = async () =>
    (await program.slack.team(team).control.messages(general)).findLast(
      (message) => message.thread_ts === undefined && message.text.includes(`“${text}”`),
    );
  const found = await program.later(cards, (message) => message !== undefined, `a card in ${team}`);
  if (found === undefined) throw new Error('no card');
  return found;
};

test('each workspace has its jobs with its own token, project and key (A2)', async () => {
  await using program = await startTeamsProgram();
  await ask(program, acme, 'Fix the typos');
  await ask(program, beta, 'Fix the links');
  await card(program, acme, 'Fix the typos');
  await card(program, beta, 'Fix the links');
  const prompts = (project: string) => program.agents.of(project).jobs.map(({ prompts: [first] }) => first);
  await program.later(
    () => [prompts(acmeProject), prompts(betaProject)],
    ([ofAcme, ofBeta]) => ofAcme?.[0] === 'Fix the typos' && ofBeta?.[0] === 'Fix the links',
    'the jobs',
  );
  for (const team of [acme, beta]) {
    const texts = (await program.slack.team(team).control.messages(general)).map(({ text }) => text);
    const foreign = team === acme ? 'links' : 'typos';
    expect(texts.join()).not.toContain(foreign);
  }
});
