import type { Clock } from '../../engine/runtime/clock.ts';
import type { AgentFacts, TroubleKind } from '../../jobs/job.ts';
import type { AgentClient } from './client.ts';
import { AgentError } from './errors.ts';

export interface InstrumentedClient {
  readonly client: AgentClient;
  facts(projectId: string): AgentFacts;
}

const NOTHING_KNOWN: AgentFacts = { answeredAtMs: null, trouble: null };

/** The same client, which remembers how its calls went. */
export function instrumentedClient(client: AgentClient, clock: Clock): InstrumentedClient {
  const known = new Map<string, AgentFacts>();
  const facts = (projectId: string) => known.get(projectId) ?? NOTHING_KNOWN;
  const note = async <T>(projectId: string, call: Promise<T>): Promise<T> => {
    try {
      const answer = await call;
      known.set(projectId, { answeredAtMs: clock.now(), trouble: null });
      return answer;
    } catch (error) {
      const kind = error instanceof AgentError ? troubleOf(error) : null;
      const { answeredAtMs, trouble } = facts(projectId);
      const sinceMs = trouble?.kind === kind ? trouble.sinceMs : clock.now();
      known.set(
        projectId,
        kind === null
          ? { answeredAtMs: clock.now(), trouble: null }
          : { answeredAtMs, trouble: { kind, sinceMs } },
      );
      throw error;
    }
  };
  return {
    facts,
    client: {
      createJob: (projectId, prompt) => note(projectId, client.createJob(projectId, prompt)),
      sendMessage: (projectId, jobId, prompt) =>
        note(projectId, client.sendMessage(projectId, jobId, prompt)),
      getJob: (projectId, jobId) => note(projectId, client.getJob(projectId, jobId)),
      close: () => client.close(),
    },
  };
}

/** Null: the API answered, and only this request was not to its liking. */
function troubleOf({ failure }: AgentError): TroubleKind | null {
  switch (failure.reason) {
    case 'unreachable':
    case 'server_error':
    case 'bad_answer':
    case 'no_such_path':
      return 'unreachable';
    case 'unauthorized':
      return 'needs_admin';
    case 'rate_limited':
      return 'rate_limited';
    case 'not_found':
    case 'rejected':
      return null;
  }
}
