import { describe, expect, test } from 'vitest';
import { createTestDatabase, testServerUrl } from '../../support/postgres.ts';
import {
  acme,
  acmeProject,
  startTeamsProgram,
  type TeamsProgram,
} from '../../support/slack-teams/program.ts';

/** The program renews a token two hours before it expires: this one after ten minutes. */
const tokenLifeS = 2 * 3_600 + 600;
const MINUTE_MS = 60_000;
const DUE_MS = 11 * MINUTE_MS;
/** One that has to be renewed from its first use on. */
const shortLifeS = 300;
const EXPIRED_MS = (shortLifeS + 60) * 1000;

const renewals = ({ slack }: TeamsProgram) =>
  slack.calls('oauth.v2.access').filter(({ args }) => args.grant_type === 'refresh_token').length;
const tokensUsed = ({ slack }: TeamsProgram) => [
  ...new Set(slack.calls('chat.postMessage').map(({ token }) => token)),
];
/** A request whose card needs the token. */
async function asked(program: TeamsProgram, which: string): Promise<void> {
  const prompt = `Add page ${which}`;
  await program.ask(acme, prompt);
  await program.card(acme, prompt);
}
const start = (lifeS = tokenLifeS) =>
  startTeamsProgram({ tokenLifeS: lifeS, installed: [acme], teams: [acme] });
const needsAdmin = ({ log }: TeamsProgram) => log.some((line) => line.includes('"slack_needs_admin"'));

describe('a token that expires', () => {
  test('is renewed before, and nobody waits for that (A2)', async () => {
    await using program = await start();
    await asked(program, 'one');
    expect(renewals(program)).toBe(0);
    await program.clock.advance(DUE_MS);
    await asked(program, 'two');
    await program.later(
      () => renewals(program),
      (count) => count === 1,
      'the renewal',
    );
    await program.clock.advance(MINUTE_MS);
    await asked(program, 'three');
    expect(renewals(program)).toBe(1);
    expect(tokensUsed(program)).toEqual(['xoxb-T0ACME1-1', 'xoxb-T0ACME1-2']);
  });

  test('and has expired while nobody used it is renewed first (A2)', async () => {
    await using program = await start(shortLifeS);
    await program.clock.advance(EXPIRED_MS);
    await asked(program, 'one');
    expect(tokensUsed(program)).not.toContain('xoxb-T0ACME1-1');
  });

  test('goes on while Slack cannot renew it, and Slack is asked again a minute later (A2)', async () => {
    await using program = await start();
    program.slack.onExchange(() => 'refuse');
    await program.clock.advance(DUE_MS);
    await asked(program, 'one');
    await asked(program, 'two');
    expect(renewals(program)).toBe(1);
    program.slack.onExchange(() => null);
    await program.clock.advance(2 * MINUTE_MS);
    await asked(program, 'three');
    await program.later(
      () => renewals(program),
      (count) => count === 2,
      'the renewal',
    );
    await program.clock.advance(MINUTE_MS);
    await asked(program, 'four');
    expect(tokensUsed(program)).toEqual(['xoxb-T0ACME1-1', 'xoxb-T0ACME1-2']);
  });

  test('that cannot be renewed is asked for less and less often (A2, E2)', async () => {
    await using program = await start(shortLifeS);
    await asked(program, 'one');
    const jobs = () => program.agents.of(acmeProject).jobs;
    await program.later(
      () => jobs().length,
      (count) => count === 1,
      'the job',
    );
    program.slack.onExchange(() => 'refuse');
    await program.clock.advance(EXPIRED_MS);
    program.agents.of(acmeProject).finish(jobs()[0]?.id ?? '', { status: 'completed' });
    const tries = () => program.log.filter((line) => /"posted".*token_renewing/.test(line)).length;
    await program.later(tries, (count) => count > 0, 'the first try');
    for (let seconds = 0; seconds < 120; seconds += 2) await program.clock.advance(2_000);
    expect(tries()).toBeLessThan(10);
    program.slack.onExchange(() => null);
    for (let minutes = 0; minutes < 6; minutes += 1) await program.clock.advance(MINUTE_MS);
    const posts = () => JSON.stringify(program.slack.calls('chat.postMessage'));
    await program.later(posts, (text) => text.includes('Done, no pull request'), 'the end');
  });

  test('whose new one got lost goes on until it expires; then requests wait for a new installation (A2, E2)', async () => {
    await using program = await start(shortLifeS);
    program.slack.onExchange(() => 'lost');
    await asked(program, 'one');
    await program.later(
      () => renewals(program),
      (count) => count === 1,
      'the renewal',
    );
    program.slack.onExchange(() => null);
    await program.clock.advance(2 * MINUTE_MS);
    await asked(program, 'two');
    await program.later(
      () => renewals(program),
      (count) => count === 2,
      'the refusal',
    );
    expect(program.log.join()).toContain('invalid_refresh_token');
    await program.clock.advance(2 * MINUTE_MS);
    await asked(program, 'three');
    expect(renewals(program)).toBe(2);
    await program.clock.advance(EXPIRED_MS);
    expect(needsAdmin(program)).toBe(false);
    await program.ask(acme, 'Add page four');
    await program.later(
      () => needsAdmin(program),
      (isSo) => isSo,
      'word for the operator',
    );
    await program.install(acme);
    await program.card(acme, 'Add page four');
    expect(tokensUsed(program).at(-1)).not.toBe('xoxb-T0ACME1-1');
  });
});

describe.skipIf(testServerUrl === undefined)('two replicas', () => {
  const startTwo = async () => {
    const database = await createTestDatabase(testServerUrl ?? '');
    const resources = new AsyncDisposableStack();
    resources.defer(() => database.drop());
    const program = resources.use(
      await startTeamsProgram({
        tokenLifeS,
        installed: [acme],
        teams: [acme],
        replicas: 2,
        databaseUrl: database.url,
      }),
    );
    return { ...program, database, [Symbol.asyncDispose]: () => resources.disposeAsync() };
  };

  test('renew a token once, and both use the new one (A2)', async () => {
    await using program = await startTwo();
    await program.clock.advance(DUE_MS);
    await Promise.all(['one', 'two', 'three', 'four'].map((which) => asked(program, which)));
    await program.later(
      () => renewals(program),
      (count) => count === 1,
      'the renewal',
    );
    await program.clock.advance(MINUTE_MS);
    await Promise.all(['five', 'six', 'seven', 'eight'].map((which) => asked(program, which)));
    expect(renewals(program)).toBe(1);
    const calls = program.slack.calls('chat.postMessage').slice(-4);
    expect([...new Set(calls.map(({ token }) => token))]).toEqual(['xoxb-T0ACME1-2']);
  });

  test('go on with the old token while one of them waits for Slack; if that one dies, the other renews it (A2)', async () => {
    await using program = await startTwo();
    program.slack.onExchange(() => 'hang');
    await program.clock.advance(DUE_MS);
    await asked(program, 'one');
    await program.later(
      () => renewals(program),
      (count) => count === 1,
      'the renewal',
    );
    await asked(program, 'two');
    await asked(program, 'three');
    expect(renewals(program)).toBe(1);
    program.slack.onExchange(() => null);
    const [row] = await program.database.query('select renewal from installation');
    expect(row?.renewal).toEqual(expect.any(String));
    // Another holds the lease now, as after a crash.
    await program.database.query("update installation set renewal = 'of who died'");
    await program.clock.advance(2 * MINUTE_MS);
    await Promise.all(['four', 'five', 'six'].map((which) => asked(program, which)));
    await program.later(
      () => program.slack.calls('chat.postMessage').at(-1)?.token,
      () => renewals(program) >= 2,
      'the second renewal',
    );
    await program.clock.advance(MINUTE_MS);
    await asked(program, 'seven');
    expect(program.slack.calls('chat.postMessage').at(-1)?.token).toBe('xoxb-T0ACME1-2');
  });
});
