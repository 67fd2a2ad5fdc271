import { describe, expect, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { waitFor } from '../support/wait-for.ts';
import { saying } from './support/posts.ts';

const never = new Promise(() => {});

describe('a Slack that says nothing for ten seconds (E1)', () => {
  test.concurrent.each([
    ['without storing the message: it is posted again', 'hang', 2],
    ['after storing the message: it is found again', { answerAfter: never }, 1],
  ] as const)('%s', async (_what, fault, tries) => {
    await using program = await startProgram();
    program.slack.fail('chat.postMessage', fault);
    await program.slack.control.command({ channel: general, user: alice, text: 'Be patient' });
    // The limit of a call is real time: it is the network that is waited for.
    await waitFor(
      () => program.log.filter((line) => /"event":"posted".*"outcome":"unknown"/.test(line)).length,
      1,
      { what: 'the end of the call', timeoutMs: 15_000 },
    );
    await program.later(() => program.api.counts.create, 1, 'the job');
    await program.clock.advance(60_000);
    expect(saying(await program.slack.control.messages(general), 'Be patient')).toHaveLength(1);
    const posts = program.slack.calls('chat.postMessage').map(({ args }) => String(args.text));
    expect(posts.filter((text) => text.includes('Starting'))).toHaveLength(tries);
  });
});
