import type { ModelWorld } from './model-world.ts';
import type { People } from './people.ts';
import { factsOf } from './verdict/facts.ts';
import { judgeNews, judgePace, judgePosts } from './verdict/news.ts';
import { judgeOrder, judgeReply } from './verdict/replies.ts';
import { judgeRequest } from './verdict/requests.ts';

/** Errors of the program itself, whatever the world around it does. */
const OWN_ERRORS =
  /"(task_failed|loop_failed|task_not_retried|leases_not_renewed|inbound_request_not_stored|listener_failed)"/;

/** The parts of the promise that were not kept, in words. */
export async function judge(world: ModelWorld, people: People): Promise<string[]> {
  const wrong = [
    ...(await world.replicas.leftOver()).map((left) => `still open: ${left}`),
    ...world.replicas.log.filter((line) => OWN_ERRORS.test(line)),
    ...(await judgePosts(world)),
    ...judgePace(world),
  ];
  for (const facts of await factsOf(world, people)) {
    const { asked, starts } = facts;
    const job = await describe(world, starts.at(-1)?.jobId);
    const replies = people.replies.filter((reply) => reply.asked === asked && reply.message.ts !== '');
    const about = (complaints: readonly string[], what = asked.mark) =>
      complaints.map((complaint) => `${what} ${complaint}`);
    wrong.push(...about(judgeRequest(facts, job.status)));
    wrong.push(...about(await judgeNews(world, facts, job.link)));
    wrong.push(...about(judgeOrder(world, replies)));
    for (const reply of replies) {
      wrong.push(...about(await judgeReply(world, reply, facts, job.status === 'vanished'), reply.mark));
    }
  }
  return wrong;
}

interface Description {
  readonly status: string | null;
  readonly link: string | null;
}

async function describe(world: ModelWorld, jobId: string | undefined): Promise<Description> {
  if (jobId === undefined) return { status: null, link: null };
  if (world.troubles.vanished.has(jobId)) return { status: 'vanished', link: null };
  const { status, prLink } = await world.describe(jobId);
  return { status, link: prLink };
}
