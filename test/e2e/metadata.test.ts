import { describe, expect, test } from 'vitest';
import { general } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';

const PR = 'https://github.com/acme/docs/pull/1';

/** The first post with each of the words meets the fault. */
function failOnce(program: Program, fault: StrictFault, ...words: string[]): void {
  const left = new Set(words);
  program.slack.onCall(({ method, args }) => {
    if (method !== 'chat.postMessage') return null;
    const met = [...left].find((word) => String(args.text).includes(word));
    return met !== undefined && left.delete(met) ? fault : null;
  });
}

describe('a post that is answered unclearly, and whose block ids Slack does not keep', () => {
  test.each<[string, StrictFault]>([
    ['a connection that breaks', 'reset_after'],
    ['half an answer', 'half_body'],
    ['a server error', 'error_after'],
    ['an internal error', { errorAfter: 'internal_error' }],
  ])('is known again by its metadata after %s, so that there is one (E1)', async (_what, fault) => {
    await using program = await startProgram({ slack: { keepsBlockIds: false } });
    const { slack, api } = program;
    failOnce(program, fault, 'Starting', 'On it', PR);
    const card = await program.ask('Add a quickstart');
    await program.threadMessage(card, 'On it');
    api.finish(String(api.jobs[0]?.id), { status: 'completed', prLink: PR });
    await program.threadMessage(card, PR);
    await program.later(
      () => slack.control.messages(general),
      ([root]) => root?.text.includes(PR) === true,
      'the card to show it',
    );
    await program.clock.advance(60_000);

    const messages = await slack.control.messages(general);
    expect(messages.map(({ blocks }) => blocks?.[0]?.block_id)).not.toContainEqual(
      expect.stringMatching(/^call:/),
    );
    expect(messages.filter(({ thread_ts }) => thread_ts === undefined)).toHaveLength(1);
    expect(messages.filter(({ thread_ts }) => thread_ts === card.ts)).toHaveLength(2);
    expect(slack.calls('chat.postMessage')).toHaveLength(3);
    expect(slack.calls('conversations.history').length).toBeGreaterThan(0);
    expect(api.counts.create).toBe(1);
  });
});
