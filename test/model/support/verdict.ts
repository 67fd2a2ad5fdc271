import type { ModelWorld } from './model-world.ts';
import type { People } from './people.ts';
import { factsOf } from './verdict/facts.ts';
import { judgeNews, judgePace, judgePosts } from './verdict/news.ts';
import { recordsOf } from './verdict/records.ts';
import { judgeOrder, judgeReply } from './verdict/replies.ts';
import { judgeRequest } from './verdict/requests.ts';

/** Errors of the program itself, whatever the world around it does. */
const OWN_ERRORS =
  /"level":"error".*"(task_failed|loop_failed|task_not_retried|leases_not_renewed|inbound_request_not_stored|listener_failed)"/;

/** What goes on for a day after the end of a job, whether anything comes of it or not. */
const LOOKS = /^(check_ended_job|catch_up):/;

/** The parts of the promise that were not kept, in words. `isOver`: nothing at all may be planned any more. */
export async function judge(world: ModelWorld, people: People, isOver = true): Promise<string[]> {
  const records = await recordsOf(world, people);
  const left = (await world.replicas.leftOver()).filter(
    (task) => (isOver || !LOOKS.test(task)) && !isNoticeIn(task, world.scene.closed),
  );
  const wrong = [
    ...left.map((task) => `still open: ${task}`),
    ...world.replicas.log.filter((line) => OWN_ERRORS.test(line)),
    ...judgePosts(records),
    ...judgePace(world),
  ];
  for (const asked of people.asked) {
    const facts = factsOf(world, records, asked);
    const { starts, replies } = facts;
    const job = describe(world, starts.at(-1)?.jobId);
    const about = (complaints: readonly string[], what = asked.mark) =>
      complaints.map((complaint) => `${what} ${complaint}`);
    wrong.push(...about(judgeRequest(world, facts, job.status)));
    wrong.push(...about(judgeNews(world, records, facts, job.link)));
    wrong.push(...about(judgeOrder(world, records, replies)));
    for (const reply of replies) {
      const complaints = await judgeReply(world, records, reply, facts, job.status === 'vanished');
      wrong.push(...about(complaints, reply.mark));
    }
  }
  return wrong;
}

/** A notice is kept for a week, in case the bot is let in. */
function isNoticeIn(task: string, closed: readonly string[]): boolean {
  return task.includes('notice:') && closed.some((channel) => task.includes(`:${channel}`));
}

interface Description {
  readonly status: string | null;
  readonly link: string | null;
}

function describe(world: ModelWorld, jobId: string | undefined): Description {
  if (jobId === undefined) return { status: null, link: null };
  if (world.troubles.vanished.has(jobId)) return { status: 'vanished', link: null };
  const { status, prLink } = world.describe(jobId);
  return { status, link: prLink };
}
