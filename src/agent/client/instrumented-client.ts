import type { Clock } from '../../engine/runtime/clock.ts';
import type { TroubleKind } from '../../jobs/job.ts';
import { afterAnswer, nothingKnown, type ServiceFacts } from '../../jobs/service-facts.ts';
import type { AgentClient } from './client.ts';
import { AgentError } from './errors.ts';

export interface InstrumentedClient {
  readonly client: AgentClient;
  facts(projectId: string): ServiceFacts;
}

/** The same client, which remembers how its calls went. */
export function instrumentedClient(client: AgentClient, clock: Clock): InstrumentedClient {
  const known = new Map<string, ServiceFacts>();
  const facts = (projectId: string) => known.get(projectId) ?? nothingKnown;
  const note = async <T>(projectId: string, call: Promise<T>): Promise<T> => {
    const remember = (kind: TroubleKind | null) =>
      known.set(projectId, afterAnswer(facts(projectId), kind, clock.now()));
    try {
      const answer = await call;
      remember(null);
      return answer;
    } catch (error) {
      remember(error instanceof AgentError ? troubleOf(error) : null);
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
