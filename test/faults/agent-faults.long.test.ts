import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buttons } from '../../src/slack/views/buttons.ts';
import { alice, bob, type SlackMessage } from '../support/local-slack.ts';
import { shareOf } from '../support/share.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { type AgentOutcome, agentFaults } from './agent-faults.ts';

/** Longer than any pause of the program after one fault. */
const LONG_MS = 60_000;

const createOffers = {
  unknown: ["Couldn't confirm the start", buttons.startAgain.id],
  refused: ['Not accepted', buttons.editAndStart.id],
} as const;
const messageOffers = {
  unknown: ["Couldn't confirm that", buttons.sendAgain.id],
  refused: ['Not sent', buttons.sendAgain.id],
} as const;

describe('a fault of the agent API', () => {
  let program: Program;
  beforeAll(async () => {
    program = await startProgram({
      // Many jobs are watched at the end, which is not the subject here.
      settings: { AGENT_TIMEOUT: '1s', POLL_MIN_INTERVAL: '60s' },
    });
  });
  afterAll(() => program[Symbol.asyncDispose]());

  /** How often the text was sent. */
  const sent = (text: string) => program.api.requests.filter(({ prompt }) => prompt === text).length;
  const pressTwiceAtOnce = (offer: SlackMessage, button: string) =>
    Promise.all([alice, bob].map((user) => program.slack.control.press(offer, button, user)));
  const expectToldOfAdministrator = async (card: SlackMessage, outcome: AgentOutcome) => {
    const count = outcome === 'administrator' ? 1 : 0;
    expect(await program.posts(card, 'An administrator needs to fix')).toHaveLength(count);
  };

  describe.each(shareOf(agentFaults))('$name', ({ name, fault, create, message }) => {
    test(`at the start of a job: ${create}`, async () => {
      const prompt = `Start and ${name.replaceAll('`', '')}`;
      program.api.failNext('create', fault);
      const card = await program.ask(prompt);
      if (create === 'unknown' || create === 'refused') {
        const [words, button] = createOffers[create];
        const offer = await program.threadMessage(card, words);
        await program.clock.advance(LONG_MS);
        expect(sent(prompt)).toBe(1);
        // A request that is refused is edited in a form: `test/e2e/decision-forms.test.ts`.
        if (create === 'refused') return;
        await pressTwiceAtOnce(offer, button);
      }
      await program.threadMessage(card, 'On it');
      await program.clock.advance(LONG_MS);
      expect(sent(prompt)).toBe(2);
      await expectToldOfAdministrator(card, create);
    });

    test(`at a follow-up: ${message}, and later replies come after it`, async () => {
      const prompt = `Follow up and ${name.replaceAll('`', '')}`;
      const text = `Reply to ${prompt}`;
      const card = await program.ask(prompt);
      await program.threadMessage(card, 'On it');
      program.api.failNext('message', fault);
      const first = await program.slack.control.reply(card, text);
      if (message === 'unknown' || message === 'refused') {
        const [words, button] = messageOffers[message];
        const offer = await program.threadMessage(card, words);
        await program.clock.advance(LONG_MS);
        expect(sent(text)).toBe(1);
        await pressTwiceAtOnce(offer, button);
      }
      await program.later(() => program.slack.control.reactions(first), ['white_check_mark'], 'the receipt');
      await program.clock.advance(LONG_MS);
      expect(sent(text)).toBe(2);
      await expectToldOfAdministrator(card, message);
      expect(await program.posts(card, "Couldn't confirm")).toHaveLength(message === 'unknown' ? 1 : 0);
    });
  });
});
