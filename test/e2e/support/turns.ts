import { general, type SlackMessage } from '../../support/local-slack.ts';
import type { Program } from '../../support/strict-slack/program.ts';

/** The messages of the channel that are in no thread. */
export const cards = async ({ slack }: Program, channel = general): Promise<SlackMessage[]> =>
  (await slack.control.messages(channel)).filter(({ thread_ts, subtype }) => !thread_ts && !subtype);

/** A job at which the agent works, and that was read at least once. */
export async function watched(program: Program, prompt?: string) {
  const { api, later } = program;
  const card = await program.working(prompt);
  const reads = api.counts.get;
  // The second read is planned when the first is written down.
  await later(
    () => api.counts.get,
    (count) => count >= reads + 2,
    'the first two checks',
  );
  const id = api.jobs.at(-1)?.id ?? '';
  return {
    card,
    finish: (status: string, prLink?: string | null) =>
      api.finish(id, { status, ...(prLink === undefined ? {} : { prLink }) }),
  };
}
