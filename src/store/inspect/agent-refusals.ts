import type { Queries } from '../schema/tables.ts';
import type { AgentRefusal } from './facts.ts';

/** Of each project, whether its last call that came to anything was refused for want of a right. */
export async function agentRefusals(db: Queries, sinceMs: number): Promise<AgentRefusal[]> {
  const calls = await db
    .selectFrom('call')
    .select(['project_id', 'kind', 'state', 'detail'])
    .where('kind', 'in', ['create_job', 'send_message'])
    .where('state', 'in', ['wanted', 'done', 'failed'])
    .where('wanted_at', '>', sinceMs)
    .where((eb) => eb.or([eb('state', '=', 'done'), eb('detail', 'is not', null)]))
    .orderBy('seq')
    .execute();
  const last = new Map(calls.map((call) => [call.project_id, call]));
  return [...last.values()].flatMap(({ project_id: projectId, kind, state, detail }) => {
    if (state === 'done' || detail === null) return [];
    const [, reason, words] = /^(\w+): (.*)$/s.exec(detail) ?? [];
    const isRefusal = reason === 'unauthorized' || (reason === 'not_found' && kind === 'create_job');
    return isRefusal && words !== undefined ? [{ projectId, words }] : [];
  });
}
